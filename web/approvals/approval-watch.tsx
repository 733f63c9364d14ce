import { useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useActivity } from '../client/activity/use-activity.ts'
import { t } from '../text/i18n.ts'
import { announce } from '../parts/feedback/announcer.tsx'
import { isNoticeWanted } from './browser-notice-wish.ts'
import { usePendingApprovals } from './use-pending-approvals.ts'

/**
 * Has screen readers announce when the number of pending approvals grows, and, where the page is hidden and the person
 * wants it, the browser tell of each, and of notices.
 */
export function ApprovalWatch() {
  const pending = usePendingApprovals()
  const before = useRef<number | null>(null)
  const navigate = useNavigate()
  const router = useRouter()
  useEffect(() => {
    if (pending !== null && before.current !== null && pending > before.current) {
      announce(`${t('approval.needed')}: ${t('nav.approvals_pending', { count: pending })}`, 'assertive')
    }
    before.current = pending
  }, [pending])
  useActivity((signal) => {
    if (signal.kind !== 'event' || !document.hidden || !isNoticeWanted()) return
    const { type, approval_id: id, others, notice_id: notice, event } = signal.event
    if (type === 'notice.changed' && event !== undefined && typeof notice === 'string') {
      const openPage = (path: string): void => router.history.push(path)
      void import('./browser-notice.ts').then(({ tellNotice }) => tellNotice(notice, openPage))
    }
    if (type !== 'approval.requested' || typeof id !== 'string') return
    const open = (): void => void navigate({ to: '/approvals/$id', params: { id } })
    void import('./browser-notice.ts').then(({ showNotice }) => showNotice(id, others === true, open))
  })
  return null
}
