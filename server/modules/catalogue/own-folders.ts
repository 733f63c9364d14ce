import { AppError } from '../../kernel/app-error.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, basename } from 'node:path'

/**
 * Why a module may not be given `path`, as the end of a sentence about it; null when it may. No module gets our own
 * data folder, whatever name or links lead to it: it contains the secret key, the database and the other modules.
 */
export async function refusedFolder(path: string, dataFolder: string): Promise<Sentence | null> {
  if (!isAbsolute(path) || path.includes('\0') || path.split('/').includes('..'))
    return say`must be an absolute path without ..`
  const [real, own] = [await realPathOf(path), await realPathOf(dataFolder)]
  if (isInside(real, own)) return say`is inside the data folder of Reeve, which no module may reach`
  if (isInside(own, real)) return say`contains the data folder of Reeve, which no module may reach`
  return null
}

/** Where a path leads when its links are followed, even if the end of it does not exist yet. */
async function realPathOf(path: string): Promise<string> {
  const whole = resolve(path)
  try {
    return await realpath(whole)
  } catch {
    const parent = dirname(whole)
    return parent === whole ? whole : join(await realPathOf(parent), basename(whole))
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (!way.startsWith('..') && !isAbsolute(way))
}

/** @throws {AppError} invalid_request naming each folder that may not be given */
export async function refuseOwnFolders(
  folders: readonly { readonly path: string }[],
  dataFolder: string,
  where: string,
): Promise<void> {
  const errors = []
  for (const [index, { path }] of folders.entries()) {
    const refused = await refusedFolder(path, dataFolder)
    if (refused !== null) errors.push({ path: `${where}.${index}.path`, message: refused })
  }
  if (errors.length > 0) {
    throw new AppError('invalid_request', say`A module cannot be given this folder.`, { errors })
  }
}
