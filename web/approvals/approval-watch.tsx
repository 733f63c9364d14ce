import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useActivity } from '../client/activity/use-activity.ts'
import { t } from '../text/i18n.ts'
import { announce } from '../parts/feedback/announcer.tsx'
import { isNoticeWanted } from './browser-notice-wish.ts'
import { usePendingApprovals } from './use-pending-approvals.ts'

/**
 * Has screen readers announce when the number of pending approvals grows, and, where the page is hidden and the person
 * wants it, the browser tell of each.
 */
export function ApprovalWatch() {
  const pending = usePendingApprovals()
  const before = useRef<number | null>(null)
  const navigate = useNavigate()
  useEffect(() => {
    if (pending !== null && before.current !== null && pending > before.current) {
      announce(`${t('approval.needed')}: ${t('nav.approvals_pending', { count: pending })}`, 'assertive')
    }
    before.current = pending
  }, [pending])
  useActivity((signal) => {
    if (signal.kind !== 'event' || !document.hidden || !isNoticeWanted()) return
    const { type, approval_id: id, others } = signal.event
    if (type !== 'approval.requested' || typeof id !== 'string') return
    const open = (): void => void navigate({ to: '/approvals/$id', params: { id } })
    void import('./browser-notice.ts').then(({ showNotice }) => showNotice(id, others === true, open))
  })
  return null
}
