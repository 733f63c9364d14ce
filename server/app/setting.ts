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
