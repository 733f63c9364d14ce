import { z } from 'zod'
import { CHANGE_BYTES, type ToolResult } from '../../chat/ports/tools.ts'

/** Characters of all parts of a preview; a longer one is none. */
const PREVIEW_LENGTH = 1024 * 1024
const CHANGES = 100
const KEPT_LENGTH = Math.ceil(CHANGE_BYTES / 3) * 4

const Hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .nullable()
const Kept = z
  .string()
  .max(KEPT_LENGTH)
  .regex(/^[A-Za-z0-9+/]*={0,2}$/)
  .nullable()
  .default(null)

const Preview = z.object({
  state: z.string().max(500).optional(),
  parts: z
    .array(
      z.object({ kind: z.enum(['diff', 'list', 'plan']), title: z.string().max(500).default(''), text: z.string() }),
    )
    .min(1)
    .max(20)
    .refine((parts) => parts.reduce((sum, { text }) => sum + text.length, 0) <= PREVIEW_LENGTH),
})
const Verified = z.object({
  ok: z.boolean(),
  expected: z.string().max(2000).default(''),
  found: z.string().max(2000).default(''),
})
const Changes = z
  .array(
    z.object({
      target: z.string().min(1).max(500),
      name: z.string().min(1).max(500),
      before_hash: Hash,
      after_hash: Hash,
      before: Kept,
      after: Kept,
    }),
  )
  .max(CHANGES)

/** What a result says about effects in its structured content; whatever is not as it should be counts as not said. */
export function effectReport(structured: unknown): Pick<ToolResult, 'preview' | 'verified' | 'changes'> {
  if (structured === null || typeof structured !== 'object') return {}
  const { preview, verified, changes } = structured as Readonly<Record<string, unknown>>
  return {
    ...(preview !== undefined && { preview: Preview.safeParse(preview).data }),
    ...(verified !== undefined && { verified: Verified.safeParse(verified).data }),
    ...(changes !== undefined && { changes: Changes.safeParse(changes).data }),
  }
}
