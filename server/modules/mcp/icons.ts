import { z } from 'zod'
import type { Icons, Picture } from '../../chat/ports/tools.ts'
import { pictureOf } from '../../kernel/picture.ts'
import { hashOf } from '../../kernel/text/canonical.ts'

const BYTES = 64 * 1024
const SIDE = 1024
/** Of one module together; the same picture counts once. */
const ALL_BYTES = 2 * 1024 * 1024
const MOST = 8

const Listed = z.array(z.unknown())
const Icon = z.looseObject({ src: z.string(), theme: z.enum(['light', 'dark']).optional().catch(undefined) })
const DATA = /^data:image\/[\w.+-]+;base64,/

/**
 * Reads what a module says it and its tools look like: pictures that are part of what it says (`data:`), of a kind that
 * cannot do anything. Addresses are never fetched: what is shown would be for another server to choose, at any time.
 */
export function iconReader(module: string): (icons: unknown) => Icons | null {
  const known = new Map<string, Picture | null>()
  let left = ALL_BYTES

  function picture(src: string): Picture | null {
    const before = known.get(src)
    if (before !== undefined) return before
    const bytes = bytesOf(src)
    const is = bytes === null || bytes.length > left ? null : pictureOf(bytes)
    if (bytes === null || is === null || is.width > SIDE || is.height > SIDE) return null
    left -= bytes.length
    const data = bytes.toString('base64')
    const digest = hashOf(data)
    const { media_type } = is
    const found = { url: `/api/modules/${module}/icons/${digest}`, digest, media_type, data }
    known.set(src, found)
    return found
  }

  return (icons) => {
    const listed = Listed.safeParse(icons)
    if (!listed.success) return null
    const usable = listed.data.slice(0, MOST).flatMap((item) => {
      const icon = Icon.safeParse(item)
      const shown = icon.success ? picture(icon.data.src) : null
      return shown === null ? [] : [{ theme: icon.data?.theme, shown }]
    })
    const fit = (theme: 'light' | 'dark') =>
      (usable.find((icon) => icon.theme === theme) ?? usable.find((icon) => icon.theme === undefined) ?? usable[0])
        ?.shown
    const [light, dark] = [fit('light'), fit('dark')]
    return light === undefined || dark === undefined ? null : { light, dark }
  }
}

function bytesOf(src: string): Buffer | null {
  const head = DATA.exec(src)?.[0]
  if (head === undefined || src.length > head.length + (BYTES * 4) / 3 + 4) return null
  const bytes = Buffer.from(src.slice(head.length), 'base64')
  return bytes.length <= BYTES ? bytes : null
}
