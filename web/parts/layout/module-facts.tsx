import type { ReactNode } from 'react'
import { Panel } from './panel.tsx'

/** Names and values, one per line; entries without a value are left out. */
export function ModuleFacts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <Panel>
      <dl className="divide-line divide-y">
        {facts
          .filter(([, value]) => value !== null && value !== '')
          .map(([name, value]) => (
            <div key={name} className="grid gap-x-6 gap-y-0.5 px-4 py-2.5 sm:grid-cols-[minmax(9rem,13rem)_1fr]">
              <dt className="text-muted">{name}</dt>
              <dd className="min-w-0 break-words">{value}</dd>
            </div>
          ))}
      </dl>
    </Panel>
  )
}
