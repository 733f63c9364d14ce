import { useNavigate } from '@tanstack/react-router'
import { useKeyListener } from '../keys/use-key-listener.ts'
import { useShortcut } from '../keys/use-shortcut.ts'
import { openOverlay, togglePalette } from './overlay.ts'

/** The shortcuts that work on every page of the frame. */
export function useGlobalShortcuts(): void {
  const navigate = useNavigate()
  useKeyListener()
  useShortcut('palette', togglePalette)
  useShortcut('map', () => openOverlay({ kind: 'keyboard_map' }))
  useShortcut('go_dashboard', () => void navigate({ to: '/' }))
  useShortcut('go_chat', () => void navigate({ to: '/chat' }))
  useShortcut('go_files', () => void navigate({ to: '/files' }))
  useShortcut('go_approvals', () => void navigate({ to: '/approvals' }))
  useShortcut('go_modules', () => void navigate({ to: '/modules' }))
  useShortcut('new_conversation', () => void navigate({ to: '/chat', search: { new: true } }))
}
