import { later, useLater } from '../../parts/later.ts'
import type { EnginePickerProps } from './engine-picker.tsx'

const part = later(() => import('./engine-picker.tsx'))

/** The picker of engines, which is loaded beside the page. */
export function EnginePickerPlace(props: EnginePickerProps) {
  const loaded = useLater(part)
  return loaded && <loaded.EnginePicker {...props} />
}
