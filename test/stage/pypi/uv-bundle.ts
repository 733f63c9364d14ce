import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { writeZip } from '../../../server/modules/bundle/archive/write-zip.ts'
import { PYTHON_SERVER } from './pypi-index.ts'

export interface UvBundle {
  readonly version?: string
  /** Null: `pyproject.toml` has no such list. */
  readonly dependencies: readonly string[] | null
  readonly python?: string
  /** More of `pyproject.toml`; or all of it. */
  readonly project?: string
  readonly pyproject?: string
  /** The content of `uv.lock`. */
  readonly lock?: string
  readonly launch?: { readonly command: string; readonly args: readonly string[] }
  readonly files?: Readonly<Record<string, string>>
}

/** The bytes of a bundle named `mcp-own`, of the type `uv`, whose server is `src/server.py`. */
export async function makeUvBundle(made: UvBundle): Promise<Buffer> {
  const { version = '1.0.0', dependencies, python = '>=3.8', project = '', lock, launch, files = {} } = made
  const list = dependencies === null ? '' : `dependencies = ${JSON.stringify(dependencies)}\n`
  const all: Record<string, string> = {
    'manifest.json': JSON.stringify({
      manifest_version: '0.4',
      name: 'mcp-own',
      version,
      description: 'A small server for tests',
      author: { name: 'Tests' },
      server: { type: 'uv', entry_point: 'src/server.py', ...(launch !== undefined && { mcp_config: launch }) },
    }),
    'pyproject.toml':
      made.pyproject ??
      `[project]\nname = "mcp-own"\nversion = "${version}"\nrequires-python = "${python}"\n${list}${project}`,
    'src/server.py': `${PYTHON_SERVER}\nif __name__ == '__main__':\n    main()\n`,
    ...(lock !== undefined && { 'uv.lock': lock }),
    ...files,
  }
  const root = await mkdtemp(join(tmpdir(), 'reeve-uv-bundle-'))
  try {
    for (const [path, content] of Object.entries(all)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), content)
    }
    const sources = Object.keys(all).map((path) => ({ path, executable: false }))
    const out = join(root, 'bundle.mcpb')
    await writeZip(root, sources, out)
    return await readFile(out)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}
