import type { ReactNode } from 'react'
import { t } from '../../text/i18n.ts'
import { auditFacts } from './audit-facts.ts'
import type { AuditEntry } from './audit-query.ts'

/** Everything in an entry: what was recorded, what changed from what to what, and the hash that seals it. */
export function AuditDetails({ entry }: { readonly entry: AuditEntry }) {
  const { facts, changes } = auditFacts(entry.details)
  return (
    <>
      <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[minmax(8rem,12rem)_1fr]">
        {entry.target !== '' && <Fact name={t('audit.target')}>{entry.target}</Fact>}
        {facts.map(([name, text]) => (
          <Fact key={name} name={name}>
            {text}
          </Fact>
        ))}
        {changes.map(({ name, before, after }) => (
          <Fact key={name} name={name}>
            <del className="text-muted">{before}</del> <span aria-hidden>→</span>{' '}
            <ins className="no-underline">{after}</ins>
          </Fact>
        ))}
        <Fact name={t('audit.code')}>{entry.action}</Fact>
        <Fact name={t('audit.entry')}>{String(entry.audit_id)}</Fact>
        <Fact name={t('audit.hash')}>{entry.hash}</Fact>
      </dl>
    </>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted text-sm break-words sm:pt-px">{name}</dt>
      <dd className="min-w-0 font-mono text-sm break-words whitespace-pre-wrap [overflow-wrap:anywhere] max-sm:mb-1.5">
        {children}
      </dd>
    </>
  )
}
