import { z } from 'zod'

/** An id created by the server: a prefix naming the kind, then 26 characters that sort by time. */
export const Id = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[!-~]+$/)
/** ISO 8601 UTC. */
export const Timestamp = z.iso.datetime()
export const Ok = z.literal(true)

/** Query `limit`: 1–200. */
export function limit(fallback: number) {
  return z.coerce.number().int().min(1).max(200).default(fallback)
}
/** Opaque position in a list: a previous `next_cursor`. */
export const Cursor = z
  .string()
  .max(200)
  .regex(/^[!-~]*$/)
  .optional()
export const NextCursor = z.string().nullable()
