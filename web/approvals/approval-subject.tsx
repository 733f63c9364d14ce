import { ChevronRight } from 'lucide-react'
import type { Approval } from '../../contract/chat.ts'
import { t } from '../text/i18n.ts'
import { CopyButton } from '../parts/controls/copy-button.tsx'
import { ArgumentsList } from '../parts/layout/arguments-list.tsx'
import { mainArgument, namesAndValues } from './main-argument.ts'

type Shown = Pick<
  Approval,
  'arguments' | 'main_argument' | 'usual_arguments' | 'summary' | 'claim' | 'kind' | 'targets' | 'module'
>

/**
 * What is decided: the command or the changed thing in one block, which copies as it is; every further argument below it,
 * in a line that opens. Where no argument says what it is about, the block has the tool's own sentence.
 */
export function ApprovalSubject({ approval }: { readonly approval: Shown }) {
  const { arguments: given, summary, kind } = approval
  const main = mainArgument(given, approval.main_argument)
  const text = main?.text ?? summary
  const others = Object.fromEntries(Object.entries(given).filter(([name]) => main?.names.includes(name) !== true))
  const folded = kind === 'call' && Object.keys(others).length > 0
  if (kind === 'run') return <p className="break-words whitespace-pre-wrap">{summary}</p>
  return (
    <div className="space-y-2">
      {approval.targets !== undefined && (
        <p className="font-medium break-words">
          {t('approval.on_machines', { machines: approval.targets.map(({ name }) => name).join(', ') })}
        </p>
      )}
      {text !== '' && (
        <div className="border-line bg-sunken relative rounded-md border">
          <pre
            tabIndex={0}
            aria-label={t('approval.subject')}
            className="max-h-64 overflow-auto py-2 ps-3 pe-10 text-sm focus-visible:outline-offset-[-2px]"
          >
            <code className="break-words whitespace-pre-wrap">{text}</code>
          </pre>
          <span className="absolute end-1 top-1">
            <CopyButton text={text} label={t('code.copy')} />
          </span>
        </div>
      )}
      <ModuleClaim approval={approval} />
      {folded && (
        <details className="group/more">
          <summary className="text-muted hover:text-ink flex list-none items-center gap-1 text-sm [&::-webkit-details-marker]:hidden">
            <ChevronRight aria-hidden className="size-4 shrink-0 transition-transform group-open/more:rotate-90" />
            <span className="shrink-0">{t('approval.further')}</span>
            <span className="min-w-0 truncate font-mono text-xs group-open/more:hidden">
              {namesAndValues(others, approval.usual_arguments)}
            </span>
          </summary>
          <div className="mt-2 space-y-2">
            {main !== null && summary !== '' && <p className="text-sm break-words whitespace-pre-wrap">{summary}</p>}
            <div tabIndex={0} role="group" aria-label={t('approval.further')} className="max-h-80 overflow-auto">
              <ArgumentsList arguments={others} />
            </div>
          </div>
        </details>
      )}
    </div>
  )
}

/** What the module says about the call: marked as its words, and quoted, so that nobody takes it for Reeve's. */
export function ModuleClaim({ approval }: { readonly approval: Pick<Approval, 'claim' | 'module'> }) {
  if (approval.claim === undefined) return null
  return (
    <p className="text-muted text-sm break-words">
      {t('approval.claim', { module: approval.module })}{' '}
      <q className="text-ink whitespace-pre-wrap">{approval.claim}</q>
    </p>
  )
}
