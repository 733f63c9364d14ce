import { useMemo, useState } from 'react'
import { later, useLater } from '../later.ts'
import type { DialogBoxProps, DialogProps } from './dialog-box.tsx'
import { focusedNow } from './focused-now.ts'

export const dialogBoxPart = later(() => import('./dialog-box.tsx'))

/**
 * A modal dialog: traps focus, closes on Escape or a click outside, and returns the focus. What shows it is loaded with
 * the first dialog that opens.
 */
export function Dialog(props: DialogProps) {
  const { open } = props
  const [wanted, setWanted] = useState(open)
  if (open && !wanted) setWanted(true)
  // Captured before a field of the dialog takes the focus.
  const opener = useMemo(() => (open ? focusedNow() : null), [open])
  return wanted && <LoadedBox {...props} opener={opener} />
}

function LoadedBox(props: DialogBoxProps) {
  const part = useLater(dialogBoxPart)
  return part && <part.DialogBox {...props} />
}
