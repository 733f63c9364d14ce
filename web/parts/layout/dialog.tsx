import { useMemo, useState } from 'react'
import { later, useLater } from '../later.ts'
import type { DialogBoxProps, DialogProps } from './dialog-box.tsx'

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
  const opener = useMemo(() => (open ? focusedOrItsMenu() : null), [open])
  return wanted && <LoadedBox {...props} opener={opener} />
}

/** What has the focus; of an entry of a menu, which is about to close, the menu's button. */
function focusedOrItsMenu(): Element | null {
  const focused = document.activeElement
  const button = focused?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  return button == null ? focused : document.getElementById(button)
}

function LoadedBox(props: DialogBoxProps) {
  const part = useLater(dialogBoxPart)
  return part && <part.DialogBox {...props} />
}
