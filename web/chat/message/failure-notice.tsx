import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { RotateCw, SlidersHorizontal } from 'lucide-react'
import type { Message, Notice as NoticeData, Part } from '../../../contract/chat.ts'
import { sessionQuery } from '../../client/queries.ts'
import { formatDuration } from '../../text/format.ts'
import { t, tIfKnown } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { useTimeLeft } from './time-left.ts'

type NoticePart = Extract<Part, { type: 'notice' }>

/** The notice that says why an answer failed: the last one in it. */
export function failureIn(message: Message): NoticePart | null {
  if (message.status !== 'failed') return null
  return message.parts.findLast((part): part is NoticePart => part.type === 'notice') ?? null
}

/** Failures that another attempt can mend; those of a role or a quota would only repeat themselves. */
const WORTH_RETRYING = /^(engine_\w+|ai_unavailable|run_failed)$/
const ABOUT_ENGINE = /^(engine_\w+|ai_unavailable)$/

interface FailureNoticeProps {
  readonly notice: NoticeData
  /** Null while the message cannot be answered again. */
  readonly onRetry: (() => void) | null
}

/** Why an answer failed: the cause, what to do about it, the buttons that do it, and what the provider said. */
export function FailureNotice({ notice, onRetry }: FailureNoticeProps) {
  const { code, detail, retry_at: retryAt } = notice
  const admin = useQuery(sessionQuery).data?.user.admin === true
  const left = useTimeLeft(retryAt)
  const advice = tIfKnown(`failure_advice.${code}`)
  const retries = onRetry !== null && WORTH_RETRYING.test(code)
  const opens = admin && ABOUT_ENGINE.test(code)
  return (
    <Notice
      tone="danger"
      title={titleOf(notice)}
      actions={
        retries || opens ? (
          <>
            {retries && (
              <Button size="sm" icon={RotateCw} disabled={left > 0} onClick={onRetry} className="tabular-nums">
                {left > 0 ? t('failure.retry_in', { time: formatDuration(left) }) : t('action.retry')}
              </Button>
            )}
            {opens && (
              <Link
                to="/admin/$page"
                params={{ page: 'ai' }}
                className="inline-flex h-7 items-center gap-1.5 rounded-md px-2.5 text-sm font-medium hover:bg-hover"
              >
                <SlidersHorizontal aria-hidden className="size-3.5" />
                {t('failure.open_engines')}
              </Link>
            )}
          </>
        ) : undefined
      }
    >
      {advice !== null && <p className="text-muted">{advice}</p>}
      {detail !== null && detail !== '' && <Quoted words={detail} />}
    </Notice>
  )
}

/** What another party said, shown as a quotation: it is neither ours nor to be trusted. */
function Quoted({ words }: { readonly words: string }) {
  return (
    <details className="group mt-1.5 text-sm">
      <summary className="w-fit cursor-pointer text-muted hover:text-ink">{t('chat.notice_detail')}</summary>
      <p className="mt-1.5 text-muted">{t('failure.said')}</p>
      <blockquote
        dir="auto"
        tabIndex={0}
        className="mt-1 max-h-48 overflow-y-auto border-s-2 border-line-strong ps-3 font-mono text-sm break-words whitespace-pre-wrap"
      >
        {words}
      </blockquote>
    </details>
  )
}

/** The cause in the reader's language, with the time where the notice has one. */
function titleOf({ code, text, seconds, detail }: NoticeData): string {
  const time = seconds === undefined ? null : formatDuration(seconds * 1000)
  if (time !== null && code === 'engine_rate') return t('failure.engine_rate_wait', { time })
  if (time !== null && code === 'engine_timeout') return t('failure.engine_timeout_for', { time })
  return tIfKnown(`notice.${code}`, { detail: detail ?? '' }) ?? text
}
