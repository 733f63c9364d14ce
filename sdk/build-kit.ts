import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import reeve from '../package.json' with { type: 'json' }
import { reeveMetaSchema } from '../server/modules/bundle/manifest/reeve-meta.ts'
import { writeZip } from '../server/modules/bundle/archive/write-zip.ts'
import { filesIn } from './files-in.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
export const KIT_FILE = 'Service-Module-AI-SDK-v1.zip'

/**
 * Builds the kit for module authors into the zip `target`: the files in `kit/`, the self-contained program
 * `bin/module-sdk.mjs`, schemas and checksums. Needs no network; equal sources give equal bytes.
 */
export async function buildKit(target: string): Promise<string> {
  const work = join(target, '.kit')
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  await cp(join(HERE, 'kit'), work, { recursive: true })
  await cp(join(HERE, '..', 'LICENSE'), join(work, 'LICENSE'))
  await writeFile(join(work, 'VERSION'), `1 (Reeve ${reeve.version})\n`)
  await writeFile(join(work, 'schema/reeve-meta.schema.json'), `${JSON.stringify(reeveMetaSchema(), null, 2)}\n`)
  for (const example of await readdir(join(work, 'examples')))
    await cp(join(work, 'lib/mcp.js'), join(work, 'examples', example, 'mcp.js'))
  await cp(join(work, 'lib/mcp.js'), join(work, 'templates/javascript/mcp.js'))
  await bundlePrograms(join(work, 'bin'))
  const paths = await filesIn(work)
  await writeFile(join(work, 'SHA256SUMS'), await checksums(work, paths))
  const zip = join(target, KIT_FILE)
  await rm(zip, { force: true })
  const files = [...paths, 'SHA256SUMS'].map((path) => ({ path, executable: false }))
  await writeZip(work, files, zip)
  await rm(work, { recursive: true })
  return zip
}

/** The command itself, and the small programs that the sandbox starts next to a module. */
const PROGRAMS = {
  'module-sdk': 'cli/main.ts',
  'orphan-killer': '../server/modules/process/orphan-killer.ts',
  'sandbox-bridge': '../server/modules/process/sandbox-bridge.ts',
}

/** Each in a single file for Node 20 and later, so that authors need not install anything. */
async function bundlePrograms(folder: string): Promise<void> {
  for (const [name, source] of Object.entries(PROGRAMS))
    await build({
      configFile: false,
      root: HERE,
      logLevel: 'warn',
      ssr: { noExternal: true, target: 'node' },
      build: {
        ssr: join(HERE, source),
        target: 'node20',
        outDir: folder,
        emptyOutDir: false,
        minify: false,
        rolldownOptions: { output: { entryFileNames: `${name}.mjs`, codeSplitting: false } },
      },
    })
}

/** One line per file, in the format of `sha256sum -c`. */
async function checksums(folder: string, paths: readonly string[]): Promise<string> {
  const lines = paths.map(async (path) => {
    const digest = createHash('sha256').update(await readFile(join(folder, path)))
    return `${digest.digest('hex')}  ${path}\n`
  })
  return (await Promise.all(lines)).join('')
}
