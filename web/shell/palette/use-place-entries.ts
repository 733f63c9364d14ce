import { useNavigate } from '@tanstack/react-router'
import {
  BookOpen,
  CircleUser,
  FileBadge,
  FileText,
  Info,
  Languages,
  PenTool,
  SquareTerminal,
  type LucideIcon,
} from 'lucide-react'
import { type MessageKey, t } from '../../text/i18n.ts'
import type { PaletteEntry } from './palette-entry.ts'

interface Place {
  readonly href: string
  readonly label: MessageKey
  readonly icon: LucideIcon
  /** Of which menu, where its name alone doesn't say it. */
  readonly area?: MessageKey
}

/** Pages that the navigation does not list individually. */
const PLACES: readonly Place[] = [
  { href: '/approvals?view=changes', label: 'changes.title', icon: FileText },
  { href: '/help', label: 'help.guide', area: 'nav.help', icon: BookOpen },
  { href: '/help/certificates', label: 'help.certificates', area: 'nav.help', icon: FileBadge },
  { href: '/help/api', label: 'help.api', area: 'nav.help', icon: SquareTerminal },
  { href: '/help/about', label: 'help.about', area: 'nav.help', icon: Info },
  { href: '/help/author', label: 'help.author', area: 'nav.help', icon: PenTool },
  { href: '/account', label: 'account.title', icon: CircleUser },
  { href: '/account?tab=preferences', label: 'palette.preferences', icon: Languages },
]

/** Pages besides the navigation: help and account. Only found by search; otherwise they would crowd out the rest. */
export function usePlaceEntries(): readonly PaletteEntry[] {
  const navigate = useNavigate()
  return PLACES.map(({ href, label, icon, area }) => ({
    id: `place:${href}`,
    group: 'pages',
    title: t(label),
    icon,
    ...(area !== undefined && { detail: t(area), keywords: t(area) }),
    run: () => void navigate({ href }),
  }))
}
