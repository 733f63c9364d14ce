import { useCallback } from 'react'
import type { Command } from '../../contract/commands.ts'
import { fillPrompt, parsePrompt } from '../../contract/variables.ts'
import { useToMessageBox } from '../chat/composer/use-to-message-box.ts'
import { openOverlay } from '../shell/frame/overlay.ts'
import { noteUse } from './last-used.ts'

/**
 * Runs a quick command: asks for variables that are not given, then, by its mode, does what the user would do by
 * typing. Nothing is sent here; the message box does that.
 */
export function useRunCommand(): (command: Command, values?: ReadonlyMap<string, string>) => void {
  const toMessageBox = useToMessageBox()
  return useCallback(
    (command: Command, values?: ReadonlyMap<string, string>) => {
      const parsed = parsePrompt(command.prompt)
      if (values === undefined && parsed.variables.length > 0) return openOverlay({ kind: 'run_command', command })
      noteUse(command.command_id)
      toMessageBox({
        text: fillPrompt(parsed, values ?? new Map()),
        target: command.run_mode === 'new' ? 'new' : 'shown',
        send: command.run_mode !== 'insert',
      })
    },
    [toMessageBox],
  )
}
