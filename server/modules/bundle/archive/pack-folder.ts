import { lstat, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { say } from '../../../kernel/sentence.ts'
import { shownText } from '../manifest/shown-text.ts'
import { BundleError } from '../bundle-error.ts'
import { pathProblem } from './entry-path.ts'
import { ignoreRules } from './ignore-rules.ts'
import { writeZip, type ZipSource } from './write-zip.ts'

export interface PackedFolder {
  /** SHA-256 of the packed file, lower-case hexadecimal digits. */
  readonly digest: string
  /** Size of the packed file in bytes. */
  readonly size: number
  /** The paths in it, sorted. */
  readonly files: readonly string[]
}

/**
 * Packs a folder into the new file `out`, leaving out what `.mcpbignore` lists. Equal folders give equal bytes.
 * @throws {BundleError} `bad_archive` naming an entry that no bundle may contain, such as a symbolic link.
 */
export async function packFolder(folder: string, out: string): Promise<PackedFolder> {
  const ignored = ignoreRules(await readIgnoreFile(folder))
  const entries = (await listFiles(folder, '', ignored)).sort((a, b) => (a.path < b.path ? -1 : 1))
  const { digest, size } = await writeZip(folder, entries, out)
  return { digest, size, files: entries.map(({ path }) => path) }
}

async function readIgnoreFile(folder: string): Promise<string> {
  try {
    return await readFile(join(folder, '.mcpbignore'), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

async function listFiles(
  folder: string,
  below: string,
  ignored: (path: string, directory: boolean) => boolean,
): Promise<ZipSource[]> {
  const found: ZipSource[] = []
  for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (ignored(path, entry.isDirectory())) continue
    const shown = shownText(path)
    const problem = pathProblem(path)
    if (problem !== null) throw new BundleError('bad_archive', say`“${shown}” ${problem}.`, shown)
    if (entry.isDirectory()) found.push(...(await listFiles(folder, path, ignored)))
    else if (entry.isFile()) found.push({ path, executable: ((await lstat(join(folder, path))).mode & 0o111) !== 0 })
    else {
      const what = entry.isSymbolicLink() ? say`is a symbolic link` : say`is neither a file nor a folder`
      throw new BundleError(
        'bad_archive',
        say`“${shown}” ${what}, and a bundle can only contain files. Copy it, or list it in .mcpbignore.`,
        shown,
      )
    }
  }
  return found
}
