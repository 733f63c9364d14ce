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
}

/** Pages that the navigation does not list individually. */
const PLACES: readonly Place[] = [
  { href: '/approvals?view=changes', label: 'changes.title', icon: FileText },
  { href: '/help', label: 'palette.help_guide', icon: BookOpen },
  { href: '/help/certificates', label: 'palette.help_certificates', icon: FileBadge },
  { href: '/help/api', label: 'palette.help_api', icon: SquareTerminal },
  { href: '/help/about', label: 'palette.help_about', icon: Info },
  { href: '/help/author', label: 'palette.help_author', icon: PenTool },
  { href: '/account', label: 'account.title', icon: CircleUser },
  { href: '/account?tab=preferences', label: 'palette.preferences', icon: Languages },
]

/** Pages besides the navigation: help and account. Only found by search; otherwise they would crowd out the rest. */
export function usePlaceEntries(): readonly PaletteEntry[] {
  const navigate = useNavigate()
  return PLACES.map(({ href, label, icon }) => ({
    id: `place:${href}`,
    group: 'pages',
    title: t(label),
    icon,
    run: () => void navigate({ href }),
  }))
}
