import type { ReactNode } from 'react'
import { t } from '../../text/i18n.ts'

export interface ArgumentsListProps {
  /** As the server shows them: secrets masked, invisible characters escaped. Nothing is shortened here. */
  arguments: Readonly<Record<string, unknown>>
  /** What is shown instead of a value; null for the value itself. */
  instead?: (value: unknown) => ReactNode
}

/** The arguments of a tool call, every one in full. */
export function ArgumentsList({ arguments: given, instead }: ArgumentsListProps) {
  const entries = Object.entries(given)
  if (entries.length === 0) return <p className="text-muted">{t('arguments.none')}</p>
  return (
    <dl className="border-line divide-line divide-y overflow-hidden rounded-md border">
      {entries.map(([name, value]) => (
        <div key={name} className="grid gap-x-4 gap-y-0.5 px-3 py-1.5 sm:grid-cols-[minmax(6rem,12rem)_1fr]">
          <dt className="text-muted font-mono text-sm break-words">{name}</dt>
          <dd className="min-w-0 font-mono text-sm break-words whitespace-pre-wrap">
            {instead?.(value) ?? show(value)}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function show(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '""' : value
  return JSON.stringify(value, null, 2)
}
