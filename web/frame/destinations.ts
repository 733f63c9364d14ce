import { LayoutDashboard, MessageSquare, ShieldCheck, type LucideIcon } from 'lucide-react'
import type { MessageKey } from '../i18n.ts'

export interface Destination {
  to: '/' | '/chat' | '/approvals'
  label: MessageKey
  icon: LucideIcon
  /** Shows the number of waiting approvals. */
  counted?: true
}

/** Where the navigation leads. A page is listed here once it exists. */
export const DESTINATIONS: readonly Destination[] = [
  { to: '/', label: 'nav.dashboard', icon: LayoutDashboard },
  { to: '/chat', label: 'nav.chat', icon: MessageSquare },
  { to: '/approvals', label: 'nav.approvals', icon: ShieldCheck, counted: true },
]
