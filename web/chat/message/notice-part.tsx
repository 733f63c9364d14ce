import type { ReactNode } from 'react'
import type { Notice as NoticeData } from '../../../contract/chat.ts'
import { t, tIfKnown } from '../../text/i18n.ts'
import { Notice } from '../../parts/feedback/notice.tsx'

const TONE = { info: 'info', warn: 'warn', error: 'danger' } as const

/** A notice from the service inside a conversation, in the reader's language where the catalogue has its code. */
export function NoticePart({ notice, actions }: { readonly notice: NoticeData; readonly actions?: ReactNode }) {
  const text = tIfKnown(`notice.${notice.code}`, { detail: notice.detail ?? '' }) ?? notice.text
  return (
    <Notice tone={TONE[notice.level]} actions={actions}>
      <p>{text}</p>
      {notice.detail !== null && notice.detail !== '' && !text.includes(notice.detail) && (
        <details className="mt-1 text-sm">
          <summary className="w-fit text-muted hover:text-ink">{t('chat.notice_detail')}</summary>
          <p className="mt-1 break-words whitespace-pre-wrap">{notice.detail}</p>
        </details>
      )}
    </Notice>
  )
}
