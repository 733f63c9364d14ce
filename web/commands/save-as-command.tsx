import { Zap } from 'lucide-react'
import { openOverlay } from '../shell/frame/overlay.ts'
import { t } from '../text/i18n.ts'
import { IconButton } from '../parts/controls/icon-button.tsx'

/** On a user's message: opens the editor with its text. */
export function SaveAsCommand({ text }: { readonly text: string }) {
  return (
    <IconButton
      label={t('commands.save_message')}
      icon={Zap}
      size="sm"
      onClick={() => openOverlay({ kind: 'edit_command', command: null, prompt: text.trim(), back: false })}
    />
  )
}
