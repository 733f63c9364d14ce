import { useEffect, useRef } from 'react'
import type { EngineTest } from '../../../contract/engines.ts'
import { formatDuration } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Notice } from '../../parts/feedback/notice.tsx'

/** The result of testing the engine; brought into view, as it comes below a long form. */
export function EngineTestResult({ result }: { readonly result: EngineTest }) {
  const { ok, problem, detail, first_ms: first, total_ms: total } = result
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    // The margin leaves the buttons below it in view.
    <div ref={place} className="scroll-mb-20">
      <Notice
        tone={ok ? 'ok' : problem === 'no_tools' || problem === 'rate_limited' ? 'warn' : 'danger'}
        title={t(`engine.test_${problem ?? 'ok'}`)}
      >
        <p>{detail}</p>
        {first !== null && (
          <p className="text-muted mt-1 text-sm">
            {t('engine.test_times', { first: formatDuration(first), total: formatDuration(total) })}
          </p>
        )}
      </Notice>
    </div>
  )
}
