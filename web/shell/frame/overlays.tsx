import { lazy, Suspense } from 'react'
import { useOverlay } from './overlay.ts'

const Palette = lazy(async () => ({ default: (await import('../palette/palette.tsx')).Palette }))
const KeyboardMap = lazy(async () => ({ default: (await import('../keys/keyboard-map.tsx')).KeyboardMap }))
const CommandLibrary = lazy(async () => ({
  default: (await import('../../commands/command-library.tsx')).CommandLibrary,
}))
const CommandEditor = lazy(async () => ({ default: (await import('../../commands/command-editor.tsx')).CommandEditor }))
const VariablesForm = lazy(async () => ({ default: (await import('../../commands/variables-form.tsx')).VariablesForm }))
const PromptForm = lazy(async () => ({ default: (await import('../../commands/prompt-form.tsx')).PromptForm }))

const RoutineDialog = lazy(async () => ({ default: (await import('../../routines/routine-dialog.tsx')).RoutineDialog }))

/** Renders the open overlay. Each is loaded when first needed. */
export function Overlays() {
  const overlay = useOverlay()
  if (overlay === null) return null
  return (
    <Suspense>
      {overlay.kind === 'palette' && <Palette />}
      {overlay.kind === 'keyboard_map' && <KeyboardMap />}
      {overlay.kind === 'commands' && <CommandLibrary />}
      {overlay.kind === 'edit_command' && <CommandEditor {...overlay} />}
      {overlay.kind === 'run_command' && <VariablesForm command={overlay.command} />}
      {overlay.kind === 'edit_routine' && <RoutineDialog {...overlay} />}
      {overlay.kind === 'run_prompt' && <PromptForm entry={overlay.entry} />}
    </Suspense>
  )
}
