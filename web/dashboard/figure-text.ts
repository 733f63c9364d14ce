import { type MessageKey, t } from '../text/i18n.ts'

/** A figure of the machine as it is shown. */
export interface FigureFacts {
  readonly name: MessageKey
  readonly value: string
  readonly note: string
  /** The last 24 hours, oldest first, a value for each quarter of an hour; null where nothing was measured. */
  readonly line?: { readonly values: readonly (number | null)[]; readonly most: number }
}

const POINT = 15 * 60_000

/** The figure, and what was measured in the last 24 hours, as a text that can be attached. */
export function figureText({ name, value, note, line }: FigureFacts, now: number = Date.now()): string {
  const head = [`${t('machine.title')}: ${t(name)} ${value}`, note, new Date(now).toISOString()]
    .filter(Boolean)
    .join('\n')
  if (line === undefined) return `${head}\n`
  const last = now - (now % POINT)
  const rows = line.values.map((point, at, { length }) => {
    const time = new Date(last - (length - 1 - at) * POINT).toISOString()
    return `${time.slice(0, 16)}Z\t${point ?? ''}`
  })
  // Shares are written as such: a model reads 0.93 in every language.
  return `${head}\n\ntime\t${t(name)}\n${rows.join('\n')}\n`
}
