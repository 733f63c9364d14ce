import {
  BellRing,
  Blocks,
  CalendarClock,
  CircleHelp,
  Files,
  LayoutDashboard,
  ListChecks,
  MessageSquare,
  ShieldCheck,
  UserCog,
  type LucideIcon,
} from 'lucide-react'
import type { MessageKey } from '../../text/i18n.ts'

export interface Destination {
  to:
    | '/'
    | '/chat'
    | '/files'
    | '/approvals'
    | '/routines'
    | '/procedures'
    | '/watches'
    | '/modules'
    | '/admin'
    | '/help'
  label: MessageKey
  icon: LucideIcon
  /** Shows the number of pending approvals. */
  counted?: true
  /** For administrators only. */
  admin?: true
  /** In the account menu on a phone, where the bar has no room for it. */
  menu?: true
}

/** Destinations of the navigation. */
const DESTINATIONS: readonly Destination[] = [
  { to: '/', label: 'nav.dashboard', icon: LayoutDashboard },
  { to: '/chat', label: 'nav.chat', icon: MessageSquare },
  { to: '/files', label: 'nav.files', icon: Files },
  { to: '/approvals', label: 'nav.approvals', icon: ShieldCheck, counted: true },
  { to: '/routines', label: 'nav.routines', icon: CalendarClock, menu: true },
  { to: '/procedures', label: 'nav.procedures', icon: ListChecks, menu: true },
  { to: '/watches', label: 'nav.watches', icon: BellRing, menu: true },
  { to: '/modules', label: 'nav.modules', icon: Blocks, admin: true },
  { to: '/admin', label: 'nav.admin', icon: UserCog, admin: true, menu: true },
  { to: '/help', label: 'nav.help', icon: CircleHelp, menu: true },
]

/** Destinations of the navigation for this user; whoever may read the audit log finds it in the administration. */
export function destinationsFor(user: {
  readonly admin: boolean
  readonly permissions?: Readonly<Record<string, string>>
}): readonly Destination[] {
  const reader = user.permissions?.['audit.read'] === 'allow'
  return DESTINATIONS.filter(({ admin, to }) => !admin || user.admin || (reader && to === '/admin'))
}
