import { useRouter } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import type { MouseEvent } from 'react'
import { classNames } from '../parts/class-names.ts'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { t } from '../text/i18n.ts'
import { detailText, eventText, noticeName } from './notice-text.ts'
import { type Notice, useReading } from './notices-query.ts'

/** One notice, with the way to what it is about. Opening it marks it as read. */
export function NoticeRow({ notice }: { readonly notice: Notice }) {
  const { notice_id, event, path, created_at, read_at } = notice
  const name = noticeName(notice)
  const reading = useReading()
  const router = useRouter()
  const unread = read_at === null
  const detail = detailText(notice)
  const onClick = (click: MouseEvent): void => {
    if (unread) reading.mutate({ notice_id })
    if (click.metaKey || click.ctrlKey || click.shiftKey) return
    click.preventDefault()
    router.history.push(path)
  }
  return (
    <li className={classNames('flex items-center', unread ? 'pe-1.5' : 'pe-8.5')}>
      <a
        href={path}
        onClick={onClick}
        className="hover:bg-hover flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3 gap-y-0.5 px-3 py-2 focus-visible:outline-offset-[-2px]"
      >
        <span className="min-w-0 flex-1 basis-48 break-words">
          <span className={unread ? 'font-medium' : ''}>{name}</span>{' '}
          <span className="text-muted text-sm">{eventText(event)}</span>
          {detail !== '' && <span className="text-muted block text-sm break-words">{detail}</span>}
        </span>
        <RelativeTime at={created_at} className="text-muted text-sm" />
      </a>
      {unread && (
        <IconButton
          label={t('notices.mark_read', { name })}
          icon={Check}
          size="sm"
          onClick={() => reading.mutate({ notice_id })}
        />
      )}
    </li>
  )
}
