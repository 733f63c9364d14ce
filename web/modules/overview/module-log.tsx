import { ScrollText } from 'lucide-react'
import { useLayoutEffect, useRef } from 'react'
import { AskButton } from '../../chat/asking/ask-button.tsx'
import { t } from '../../text/i18n.ts'
import { CopyButton } from '../../parts/controls/copy-button.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { Panel } from '../../parts/layout/panel.tsx'

/** Within this many pixels of the end, the reader counts as being at the end. */
const NEAR = 24

/** The last lines the module wrote to standard error; updated while this tab is open. */
export function ModuleLog({ name, lines }: { readonly name: string; readonly lines: readonly string[] }) {
  const box = useRef<HTMLPreElement>(null)
  const atEnd = useRef(true)
  useLayoutEffect(() => {
    const element = box.current
    if (element !== null && atEnd.current) element.scrollTop = element.scrollHeight
  }, [lines])
  if (lines.length === 0) {
    return (
      <Panel>
        <EmptyState icon={ScrollText} title={t('modules.log_empty')} text={t('modules.log_empty_text')} />
      </Panel>
    )
  }
  return (
    <Panel>
      <div className="border-line flex h-9 items-center justify-between border-b pr-1 pl-3">
        <span className="text-muted text-sm">{t('modules.log_lines', { count: lines.length })}</span>
        <span className="flex">
          <AskButton about={() => ({ name: `${name}.log`, text: lines.join('\n') })} />
          <CopyButton text={() => lines.join('\n')} label={t('modules.log_copy')} />
        </span>
      </div>
      <pre
        ref={box}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={t('modules.log')}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          atEnd.current = scrollHeight - clientHeight - scrollTop < NEAR
        }}
        className="bg-sunken max-h-[60dvh] min-h-40 overflow-auto px-3 py-2.5 text-sm break-words whitespace-pre-wrap focus-visible:outline-offset-[-2px]"
      >
        {lines.join('\n')}
      </pre>
    </Panel>
  )
}
