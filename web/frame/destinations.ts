import { Blocks, Files, LayoutDashboard, MessageSquare, ShieldCheck, type LucideIcon } from 'lucide-react'
import type { MessageKey } from '../i18n.ts'

export interface Destination {
  to: '/' | '/chat' | '/files' | '/approvals' | '/modules'
  label: MessageKey
  icon: LucideIcon
  /** Shows the number of waiting approvals. */
  counted?: true
  /** For administrators only. */
  admin?: true
}

/** Where the navigation leads. A page is listed here once it exists. */
const DESTINATIONS: readonly Destination[] = [
  { to: '/', label: 'nav.dashboard', icon: LayoutDashboard },
  { to: '/chat', label: 'nav.chat', icon: MessageSquare },
  { to: '/files', label: 'nav.files', icon: Files },
  { to: '/approvals', label: 'nav.approvals', icon: ShieldCheck, counted: true },
  { to: '/modules', label: 'nav.modules', icon: Blocks, admin: true },
]

/** Where the navigation leads this person. */
export function destinationsFor({ admin }: { readonly admin: boolean }): readonly Destination[] {
  return DESTINATIONS.filter((destination) => !destination.admin || admin)
}
