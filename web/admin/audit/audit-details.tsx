import type { ReactNode } from 'react'
import { AskButton } from '../../chat/asking/ask-button.tsx'
import { t, tIfKnown } from '../../text/i18n.ts'
import { auditFacts } from './audit-facts.ts'
import type { AuditEntry } from './audit-query.ts'
import { recordedArguments } from './audit-words.ts'

/** What the sentence says already. */
const TOLD: readonly string[] = ['approved_by', 'asked_by', 'exit_code', 'duration_ms', 'host', 'times', 'from', 'to']
/** What only helps to find things elsewhere. */
const TECHNICAL = /(_id|_hash|^effect|^status|^decision)$/

/** Everything in an entry: what was recorded, what changed from what to what; ids and hashes under *Technical*. */
export function AuditDetails({ entry }: { readonly entry: AuditEntry }) {
  const { arguments: text, arguments_cut: cut, ...details } = entry.details
  const given = recordedArguments(entry.details)
  const { facts, changes } = auditFacts(details)
  const told = facts.filter(([name]) => !TOLD.includes(name) && !TECHNICAL.test(name))
  const technical = facts.filter(([name]) => TECHNICAL.test(name))
  return (
    <div className="relative space-y-2 pe-10">
      <div className="absolute -top-1 right-0">
        <AskButton
          about={() => ({
            name: `audit-entry-${entry.audit_id ?? entry.at}.json`,
            text: JSON.stringify(entry, null, 2),
          })}
        />
      </div>
      {(told.length > 0 || changes.length > 0 || typeof text === 'string') && (
        <Facts>
          {told.map(([name, value]) => (
            <Fact key={name} name={factLabel(name)}>
              {value}
            </Fact>
          ))}
          {typeof text === 'string' && text !== '{}' && (
            <Fact name={t('audit.fact_arguments')}>
              {given === null ? text : JSON.stringify(given, null, 2)}
              {cut === true && <p className="text-muted font-sans">{t('audit.arguments_cut')}</p>}
            </Fact>
          )}
          {changes.map(({ name, before, after }) => (
            <Fact key={name} name={factLabel(name)}>
              <del className="text-muted">{before}</del> <span aria-hidden>→</span>{' '}
              <ins className="no-underline">{after}</ins>
            </Fact>
          ))}
        </Facts>
      )}
      <details>
        <summary className="text-muted hover:text-ink w-fit text-sm">{t('audit.technical')}</summary>
        <div className="pt-1.5">
          <Facts>
            {entry.target !== '' && <Fact name={t('audit.target')}>{entry.target}</Fact>}
            {entry.actor !== '' && <Fact name={t('audit.fact_username')}>{entry.actor}</Fact>}
            {technical.map(([name, value]) => (
              <Fact key={name} name={name}>
                {value}
              </Fact>
            ))}
            <Fact name={t('audit.code')}>{entry.action}</Fact>
            <Fact name={t('audit.entry')}>
              {entry.audit_id === null ? t('audit.unchained') : String(entry.audit_id)}
            </Fact>
            {entry.hash !== null && <Fact name={t('audit.hash')}>{entry.hash}</Fact>}
          </Facts>
        </div>
      </details>
    </div>
  )
}

function factLabel(name: string): string {
  return tIfKnown(`audit.fact_${name}`) ?? name
}

function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[minmax(8rem,12rem)_1fr]">{children}</dl>
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
