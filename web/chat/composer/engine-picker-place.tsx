import { later, useLater } from '../../parts/later.ts'
import type { EnginePickerProps } from './engine-picker.tsx'

const part = later(async () => ({ ...(await import('./engine-picker.tsx')), ...(await import('./tools-picker.tsx')) }))

/** The pickers of tools and engines, which are loaded beside the page. */
export function EnginePickerPlace(props: EnginePickerProps) {
  const loaded = useLater(part)
  return (
    loaded && (
      <>
        <loaded.ToolsPicker {...props} />
        <loaded.EnginePicker {...props} />
      </>
    )
  )
}
