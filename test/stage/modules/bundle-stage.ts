import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Manifest } from '../../../server/modules/bundle/manifest/manifest.ts'
import { parseManifest } from '../../../server/modules/bundle/manifest/parse-manifest.ts'
import { removeTree } from '../../../server/modules/bundle/archive/remove-tree.ts'
import { unpackBundle, type UnpackOptions } from '../../../server/modules/bundle/archive/unpack-bundle.ts'
import { zipBytes, type ZipEntry, type ZipLies } from '../documents/zip-bytes.ts'

export const MANIFEST = {
  manifest_version: '0.3',
  name: 'weather',
  version: '1.2.3',
  description: 'Says what the weather is like.',
  author: { name: 'Ada' },
  server: {
    type: 'node',
    entry_point: 'server/index.js',
    mcp_config: { command: 'node', args: ['${__dirname}/server/index.js'] },
  },
}

/** A manifest as it comes out of its file. */
export function manifestOf(changes: Record<string, unknown> = {}): Manifest {
  return parseManifest(Buffer.from(JSON.stringify({ ...MANIFEST, ...changes })))
}

export const ENTRIES: readonly ZipEntry[] = [
  { name: 'manifest.json', data: JSON.stringify(MANIFEST) },
  { name: 'server/index.js', data: 'process.stdin.resume()\n' },
]

/** A folder for one test file, and bundles in it. */
export async function openBundleStage() {
  const root = await mkdtemp(join(tmpdir(), 'reeve-bundle-'))
  let count = 0
  afterAll(async () => {
    for (const name of await readdir(root)) await removeTree(join(root, name)).catch(() => undefined)
    await rm(root, { recursive: true, force: true })
  })
  const place = (name: string): string => join(root, `${++count}-${name}`)
  return {
    root,
    place,
    /** Writes bytes as a bundle; its path. */
    async save(bytes: Buffer): Promise<string> {
      const path = place('bundle.mcpb')
      await writeFile(path, bytes)
      return path
    },
    async emptyFolder(): Promise<string> {
      const folder = place('folder')
      await mkdir(folder)
      return folder
    },
    async unpack(bytes: Buffer, options?: UnpackOptions) {
      const folder = await this.emptyFolder()
      return { folder, bundle: await unpackBundle(await this.save(bytes), folder, options) }
    },
    /** A bundle of the given entries on top of a manifest and a server. */
    pack: (entries: readonly ZipEntry[] = [], lies?: ZipLies): Buffer => zipBytes([...ENTRIES, ...entries], lies),
  }
}
