import type { Quota } from '../../../contract/usage.ts'

export const SPANS = ['day', 'month'] as const
export const KINDS = ['messages', 'tokens', 'cost_micros', 'calls'] as const
type Cell = `${(typeof SPANS)[number]}_${(typeof KINDS)[number]}`
/** The limits as typed; empty means no limit. Cost is in whole currency units. */
export type QuotaDraft = Readonly<Record<Cell, string>>

const MOST = 1_000_000_000_000

export function quotaDraftOf(quota: Quota): QuotaDraft {
  const cells = SPANS.flatMap((span) =>
    KINDS.map((kind) => {
      const limit = quota[span][kind] ?? null
      return [`${span}_${kind}`, limit === null ? '' : String(kind === 'cost_micros' ? limit / 1e6 : limit)]
    }),
  )
  return Object.fromEntries(cells) as QuotaDraft
}

/** Null while a limit is not a number. */
export function quotaOf(draft: QuotaDraft): Quota | null {
  const wrong = SPANS.some((span) => KINDS.some((kind) => limitOf(draft, span, kind) === undefined))
  if (wrong) return null
  const allowance = (span: (typeof SPANS)[number]) =>
    Object.fromEntries(KINDS.map((kind) => [kind, limitOf(draft, span, kind)])) as Quota['day']
  return { day: allowance('day'), month: allowance('month') }
}

/** Null: no limit. undefined: the typed value is not a valid limit. */
export function limitOf(
  draft: QuotaDraft,
  span: (typeof SPANS)[number],
  kind: (typeof KINDS)[number],
): number | null | undefined {
  const text = draft[`${span}_${kind}`].trim().replace(',', '.')
  if (text === '') return null
  if (!/^\d+(\.\d+)?$/.test(text)) return undefined
  const limit = kind === 'cost_micros' ? Math.round(Number(text) * 1e6) : Number(text)
  return Number.isInteger(limit) && limit <= MOST ? limit : undefined
}
