import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { DiffView } from '../parts/layout/diff-view.tsx'
import { t } from '../text/i18n.ts'
import { type Change, changeQuery } from './changes-query.ts'

/** The diff of a change, what it was before and is after by hash, and the way to its conversation. */
export function ChangeDetails({ change }: { readonly change: Change }) {
  const query = useQuery(changeQuery(change.change_id))
  const { before_hash: before, after_hash: after, conversation_id: c } = change
  return (
    <div className="animate-fade space-y-3 px-3 pb-4 sm:ps-10">
      <QueryView query={query} failed={t('changes.load_failed')} loading={<SkeletonRows rows={3} className="h-5" />}>
        {({ diff, withheld }) =>
          diff === null || diff === '' ? (
            <p className="text-muted">{t(withheld ? 'changes.withheld' : 'changes.no_diff')}</p>
          ) : (
            <DiffView title={change.name} text={diff.replace(/\n$/, '')} diff />
          )
        }
      </QueryView>
      <dl className="text-muted grid gap-x-4 text-sm sm:grid-cols-[auto_1fr]">
        <dt>{t('changes.before')}</dt>
        <dd className="font-mono text-xs break-all sm:pt-0.5">{before ?? t('changes.nothing')}</dd>
        <dt>{t('changes.after')}</dt>
        <dd className="font-mono text-xs break-all sm:pt-0.5">{after ?? t('changes.nothing')}</dd>
        <dt>{t('audit.tool')}</dt>
        <dd className="font-mono text-xs break-all sm:pt-0.5">{`${change.module}.${change.tool}`}</dd>
        <dt>{t('audit.host')}</dt>
        <dd>{change.host === 'local' ? t('audit.host_this') : change.host}</dd>
      </dl>
      {c !== null && (
        <Link to="/chat" search={{ c }} className="text-accent text-sm underline underline-offset-2">
          {t('approval.show_conversation')}
        </Link>
      )}
    </div>
  )
}
