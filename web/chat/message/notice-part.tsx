import type { ReactNode } from 'react'
import type { Notice as NoticeData } from '../../../contract/chat.ts'
import { formatDuration } from '../../text/format.ts'
import { t, tIfKnown } from '../../text/i18n.ts'
import { Notice } from '../../parts/feedback/notice.tsx'
import { useTimeLeft } from './time-left.ts'

const TONE = { info: 'info', warn: 'warn', error: 'danger' } as const

/** A notice from the service inside a conversation, in the reader's language where the catalogue has its code. */
export function NoticePart({ notice, actions }: { readonly notice: NoticeData; readonly actions?: ReactNode }) {
  const text = tIfKnown(`notice.${notice.code}`, { detail: notice.detail ?? '' }) ?? notice.text
  return (
    <Notice tone={TONE[notice.level]} actions={actions}>
      {notice.retry_at === undefined ? (
        <p>{text}</p>
      ) : (
        <Waiting key={notice.retry_at} code={notice.code} until={notice.retry_at} past={text} />
      )}
      {notice.detail !== null && notice.detail !== '' && !text.includes(notice.detail) && (
        <details className="mt-1 text-sm">
          <summary className="w-fit text-muted hover:text-ink">{t('chat.notice_detail')}</summary>
          <p className="mt-1 break-words whitespace-pre-wrap">{notice.detail}</p>
        </details>
      )}
    </Notice>
  )
}

interface WaitingProps {
  readonly code: string
  readonly until: string
  readonly past: string
}

/** How long the run still waits for its engine; afterwards, that it did. */
function Waiting({ code, until, past }: WaitingProps) {
  const left = useTimeLeft(until)
  if (left === 0) return <p>{past}</p>
  const time = formatDuration(left)
  return (
    <p className="tabular-nums">
      {code === 'engine_again' ? t('failure.engine_again_wait', { time }) : t('failure.engine_rate_wait', { time })}
    </p>
  )
}
