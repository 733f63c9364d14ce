import { useEffect, useRef } from 'react'
import { t } from '../text/i18n.ts'
import { announce } from '../parts/feedback/announcer.tsx'
import { usePendingApprovals } from './use-pending-approvals.ts'

/** Has screen readers announce when the number of pending approvals grows. */
export function ApprovalWatch() {
  const pending = usePendingApprovals()
  const before = useRef<number | null>(null)
  useEffect(() => {
    if (pending !== null && before.current !== null && pending > before.current) {
      announce(`${t('approval.needed')}: ${t('nav.approvals_pending', { count: pending })}`, 'assertive')
    }
    before.current = pending
  }, [pending])
  return null
}
