import { z } from 'zod'
import { parseByteSize } from '../kernel/byte-size.ts'

/** One setting: how it is parsed, and its description for administrators, which docs/configuration.md repeats. */
export function setting<S extends z.ZodType>(schema: S, about: string): { readonly schema: S; readonly about: string } {
  return { schema, about }
}

export const text = z.string().default('')
export const bytes = (fallback: string, most: string) =>
  z
    .string()
    .default(fallback)
    .transform((size) => parseByteSize(size) ?? 0)
    .refine((size) => size > 0 && size <= parseByteSize(most)!, `must be a size up to ${most}, such as ${fallback}`)
export const milliseconds = (fallback: number) => z.coerce.number().int().min(100).max(3_600_000).default(fallback)

/** Where packages or servers come from. What lets somebody in there is a setting of its own, because addresses are shown. */
export const registryAddress = z
  .string()
  .default('off')
  .refine((value) => {
    if (value === 'off') return true
    const url = URL.canParse(value) ? new URL(value) : null
    const secret = url === null ? '' : `${url.username}${url.password}${url.search}`
    return url !== null && /^https?:$/.test(url.protocol) && secret === ''
  }, 'must be an address that begins with https:// or http:// and has no user name, password or query, or off')
