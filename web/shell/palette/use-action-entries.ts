import { useNavigate } from '@tanstack/react-router'
import {
  CalendarClock,
  Keyboard,
  ListChecks,
  LogOut,
  Monitor,
  Moon,
  OctagonX,
  PanelLeft,
  Plus,
  SquarePen,
  Sun,
} from 'lucide-react'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { openOverlay } from '../frame/overlay.ts'
import { toggleRail, useRailFolded } from '../frame/rail-folded.ts'
import { useSignOut } from '../frame/use-sign-out.ts'
import { t } from '../../text/i18n.ts'
import { toast } from '../../parts/feedback/toast.tsx'
import { queryClient } from '../../client/query-client.ts'
import { SHORTCUTS } from '../keys/shortcuts.ts'
import { canRunShortcut, runShortcut } from '../keys/use-shortcut.ts'
import { setTheme, THEMES, useTheme } from '../theme.ts'
import type { PaletteEntry } from './palette-entry.ts'

const THEME_ICON = { system: Monitor, light: Sun, dark: Moon }

/** The palette's actions, other than navigation. */
export function useActionEntries(): readonly PaletteEntry[] {
  const navigate = useNavigate()
  const signOut = useSignOut()
  const theme = useTheme()
  const folded = useRailFolded()
  const group = 'actions' as const
  return [
    {
      id: 'action:new',
      group,
      title: t('chat.new'),
      icon: SquarePen,
      shortcut: 'new_conversation',
      run: () => void navigate({ to: '/chat', search: { new: true } }),
    },
    {
      id: 'action:commands',
      group,
      title: t('commands.title'),
      icon: ListChecks,
      keywords: t('palette.commands_words'),
      run: () => openOverlay({ kind: 'commands' }),
    },
    {
      id: 'action:new_command',
      group,
      title: t('commands.new'),
      icon: Plus,
      run: () => openOverlay({ kind: 'edit_command', command: null, back: false }),
    },
    {
      id: 'action:new_routine',
      group,
      title: t('routines.add'),
      icon: CalendarClock,
      run: () => openOverlay({ kind: 'edit_routine', routine: null }),
    },
    { id: 'action:stop', group, title: t('palette.stop_all'), icon: OctagonX, run: () => void stopAll() },
    ...THEMES.filter((one) => one !== theme).map((one) => ({
      id: `action:theme_${one}`,
      group,
      title: t(`user.theme_${one}`),
      icon: THEME_ICON[one],
      run: () => setTheme(one),
    })),
    {
      id: 'action:rail',
      group,
      title: t(folded ? 'nav.expand' : 'nav.collapse'),
      icon: PanelLeft,
      run: toggleRail,
    },
    {
      id: 'action:keys',
      group,
      title: t('keys.title'),
      icon: Keyboard,
      shortcut: 'map',
      run: () => openOverlay({ kind: 'keyboard_map' }),
    },
    ...otherKeys(),
    { id: 'action:sign_out', group, title: t('user.sign_out'), icon: LogOut, run: () => void signOut() },
  ]
}

/** What keys do on this page and no other entry does: every key can be found here. */
function otherKeys(): readonly PaletteEntry[] {
  return SHORTCUTS.filter(({ id, where, local }) => where === 'chat' && !local && canRunShortcut(id)).map(
    ({ id, text }) => ({
      id: `key:${id}`,
      group: 'actions',
      title: t(text),
      icon: Keyboard,
      shortcut: id,
      // The palette gives the focus back when it closes; the shortcut may then move it.
      run: () => void setTimeout(() => runShortcut(id)),
    }),
  )
}

async function stopAll(): Promise<void> {
  try {
    const { cancelled_count: count, warning } = await call('POST /api/chat/cancel', { body: {} })
    toast(warning === null ? { text: t('palette.stopped', { count }) } : { text: warning, tone: 'warn' })
  } catch (error) {
    toast({ text: explainError(error), tone: 'danger' })
  } finally {
    void queryClient.invalidateQueries({ queryKey: ['runs'] })
  }
}
