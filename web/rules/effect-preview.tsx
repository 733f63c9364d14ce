import { EffectBadge } from '../parts/feedback/effect-badge.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { t } from '../text/i18n.ts'
import { EffectWord } from './effect-word.tsx'
import type { EffectChange } from './preview-of.ts'

/** More are folded. */
const SHOWN = 8

/** Sentences about what becomes different for the users of each role, and for which tools. */
export function EffectPreview({ preview }: { readonly preview: readonly EffectChange[] }) {
  if (preview.length === 0) return <p className="text-muted">{t('rules.no_difference')}</p>
  return (
    <ul aria-label={t('rules.differences')} className="space-y-4">
      {preview.map(({ role, to, items }) => (
        <li key={`${role.role_id} ${to}`}>
          <p className="mb-1.5 font-medium break-words">
            {t(`rules.then_${to}`, { count: role.users, role: role.name })}
          </p>
          <Panel>
            <Items items={items.slice(0, SHOWN)} to={to} />
            {items.length > SHOWN && (
              <details className="border-line border-t">
                <summary className="text-muted hover:text-ink px-4 py-2 text-sm focus-visible:-outline-offset-2">
                  {t('rules.more', { count: items.length - SHOWN })}
                </summary>
                <Items items={items.slice(SHOWN)} to={to} />
              </details>
            )}
          </Panel>
        </li>
      ))}
    </ul>
  )
}

function Items({ items, to }: Pick<EffectChange, 'items' | 'to'>) {
  return (
    <ul className="divide-line divide-y">
      {items.map(({ entry, from }) => (
        <li key={entry.subject} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5">
          <span className="min-w-0 flex-1 basis-56 break-words">
            {entry.title} <span className="text-muted font-mono text-xs break-all">{entry.code}</span>
          </span>
          {entry.effect !== null && entry.effect !== 'read' && <EffectBadge effect={entry.effect} />}
          <span className="flex flex-wrap items-center gap-x-2">
            <EffectWord effect={from} />
            <span aria-hidden className="text-muted">
              →
            </span>
            <span className="sr-only">{t('roles.becomes')}</span>
            <EffectWord effect={to} />
          </span>
        </li>
      ))}
    </ul>
  )
}
