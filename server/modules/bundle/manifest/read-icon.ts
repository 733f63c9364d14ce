import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { pathProblem } from '../archive/entry-path.ts'
import type { Manifest } from './manifest.ts'

const SIZE_LIMIT = 256 * 1024
const SIDE_LIMIT = 2048
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

/**
 * The icon inside an unpacked bundle: a PNG of at most 256 KiB and 2048 pixels a side; null when there is none that may
 * be shown. Nothing is fetched, and no link is followed.
 */
export async function readIcon(folder: string, manifest: Manifest, theme: Theme = 'light'): Promise<Buffer | null> {
  for (const path of iconPaths(manifest, theme)) {
    const icon = await readPng(folder, path)
    if (icon !== null) return icon
  }
  return null
}

type Theme = 'light' | 'dark'

/** The files that a manifest names for its icon, that for the theme first. */
export function iconPaths(manifest: Manifest | null, theme: Theme): string[] {
  const { icon, icons = [] } = manifest ?? {}
  const own = icons.filter((each) => each.theme === theme)
  const named = [...own.map(({ src }) => src), icon, ...icons.map(({ src }) => src)]
  return named.flatMap((name) => {
    const path = name?.replace(/^(?:\$\{__dirname\}\/|\.\/)/, '')
    return path === undefined || pathProblem(path) !== null || /^[a-z][a-z0-9+.-]*:/i.test(path) ? [] : [path]
  })
}

async function readPng(folder: string, path: string): Promise<Buffer | null> {
  try {
    const root = await realpath(folder)
    // A link in the path would lead elsewhere, so this would no longer be what was unpacked.
    if ((await realpath(join(root, path))) !== join(root, path).replaceAll('/', sep)) return null
    await using file = await open(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stat = await file.stat()
    if (!stat.isFile() || stat.size > SIZE_LIMIT || stat.size < PNG.length + 8) return null
    const bytes = await file.readFile()
    if (!bytes.subarray(0, PNG.length).equals(PNG)) return null
    const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
    return width > 0 && height > 0 && width <= SIDE_LIMIT && height <= SIDE_LIMIT ? bytes : null
  } catch {
    return null
  }
}
