import type { ReactNode } from 'react'
import type { Notice as NoticeData } from '../../contract/chat.ts'
import { t, tIfKnown } from '../i18n.ts'
import { Notice } from '../parts/notice.tsx'

const TONE = { info: 'info', warn: 'warn', error: 'danger' } as const

/** Something the service says inside a conversation, in the reader's language where the catalogue knows its code. */
export function NoticePart({ notice, actions }: { readonly notice: NoticeData; readonly actions?: ReactNode }) {
  return (
    <Notice tone={TONE[notice.level]} actions={actions}>
      <p>{tIfKnown(`notice.${notice.code}`) ?? notice.text}</p>
      {notice.detail !== null && notice.detail !== '' && (
        <details className="mt-1 text-sm">
          <summary className="w-fit text-muted hover:text-ink">{t('chat.notice_detail')}</summary>
          <p className="mt-1 break-words whitespace-pre-wrap">{notice.detail}</p>
        </details>
      )}
    </Notice>
  )
}
