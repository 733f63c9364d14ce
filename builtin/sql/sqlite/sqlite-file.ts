import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, relative } from 'node:path'

/** The real path of a database file that may be opened. @throws {Error} with a sentence */
export async function sqliteFile(name: string, address: string, dataFolder: string): Promise<string> {
  // `sqlite:///a/b` is the same as `sqlite:/a/b`.
  const path = address.replace(/^\/\/(?=\/)/, '')
  if (!isAbsolute(path)) throw new Error(`The database ${name} needs an absolute path: sqlite:/path/to/file.db.`)
  let file: string
  try {
    file = await realpath(path)
  } catch (error) {
    throw new Error(`The database ${name} cannot be found: there is no readable file at its path.`, { cause: error })
  }
  if (!(await stat(file)).isFile()) throw new Error(`The database ${name} is not a file.`)
  const own = await realpath(dataFolder).catch(() => dataFolder)
  const within = relative(own, file)
  if (within !== '' && (within.startsWith('..') || isAbsolute(within))) return file
  throw new Error(`The database ${name} is in Reeve's own data folder, which modules do not open.`)
}
