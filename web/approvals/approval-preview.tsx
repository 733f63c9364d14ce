import type { Preview } from '../../contract/chat.ts'
import { Notice } from '../parts/feedback/notice.tsx'
import { DiffView } from '../parts/layout/diff-view.tsx'
import { t } from '../text/i18n.ts'

/** What the call would change, as its module says; or why nobody can say. */
export function ApprovalPreview({ preview: { problem, parts } }: { readonly preview: Preview }) {
  if (problem !== null) return <Notice tone="warn">{t('approval.preview_none', { why: problem })}</Notice>
  return (
    <section aria-label={t('approval.preview')} className="space-y-2">
      <h4 className="text-sm font-medium">{t('approval.preview')}</h4>
      {parts.map(({ kind, title, text, more_lines: more }, index) => (
        <div key={index} className="space-y-1">
          <DiffView title={title} text={text} diff={kind === 'diff'} />
          {more > 0 && <p className="text-muted text-sm">{t('approval.preview_more', { count: more })}</p>}
        </div>
      ))}
    </section>
  )
}
