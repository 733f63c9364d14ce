import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '../../../contract/index.ts'
import { packFolder } from '../../../server/modules/bundle/archive/pack-folder.ts'
import type { TestClient } from '../client.ts'

const SERVER = join(import.meta.dirname, '../../module-fixtures/plain-server.mjs')

/** A picture of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

export interface BundleOptions {
  readonly name?: string
  readonly version?: string
  /** Environment of its launch. */
  readonly env?: Record<string, string>
  readonly args?: string[]
  readonly user_config?: Record<string, object>
  readonly meta?: object
  /** Further members of the manifest. */
  readonly manifest?: object
  /** Further files: path → content. */
  readonly files?: Record<string, string | Buffer>
}

/** The bytes of a small bundle that runs: test/module-fixtures/plain-server.mjs with this manifest. */
export async function makeBundle(options: BundleOptions = {}): Promise<Buffer> {
  const { name = 'plain', version = '1.0.0', env = {}, args = [], user_config, meta, files = {} } = options
  const root = await mkdtemp(join(tmpdir(), 'reeve-bundle-'))
  try {
    const folder = join(root, 'content')
    await mkdir(folder)
    const manifest = {
      manifest_version: '0.3',
      name,
      display_name: `The ${name}`,
      version,
      description: 'A small server for tests',
      author: { name: 'Tests' },
      server: {
        type: 'node',
        entry_point: 'server.mjs',
        mcp_config: { command: 'node', args: ['${__dirname}/server.mjs', ...args], env },
      },
      ...(user_config === undefined ? {} : { user_config }),
      ...(meta === undefined ? {} : { _meta: { 'dev.reeve': meta } }),
      ...options.manifest,
    }
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest))
    await copyFile(SERVER, join(folder, 'server.mjs'))
    for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content)
    const out = join(root, 'bundle.mcpb')
    await packFolder(folder, out)
    return await readFile(out)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

/** Installs a bundle through the front door. */
export async function install(client: TestClient, bundle: Buffer, query: { allow_downgrade?: 'true' } = {}) {
  return client.call(contract.modules.install, {
    headers: { 'x-module-filename': 'test.mcpb' },
    query,
    body: bundle as never,
  })
}
