import { useMemo, useState, type ReactNode } from 'react'
import { useLater } from '../later.ts'
import { dialogBoxPart } from '../load-parts.ts'
import type { DialogBoxProps } from './dialog-box.tsx'

export interface DialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: ReactNode
  /** Buttons at the bottom, the primary one last. */
  actions?: ReactNode
  size?: 'sm' | 'md' | 'lg'
  /**
   * `drawer`: from the left edge, full height. `top`: near the upper edge, the content alone; the title is only read
   * out.
   */
  placement?: 'center' | 'drawer' | 'top'
  children?: ReactNode
}

/**
 * A modal dialog: traps focus, closes on Escape or a click outside, and returns the focus. What shows it is loaded with
 * the first dialog that opens.
 */
export function Dialog(props: DialogProps) {
  const { open } = props
  const [wanted, setWanted] = useState(open)
  if (open && !wanted) setWanted(true)
  // Captured before a field of the dialog takes the focus.
  const opener = useMemo(() => (open ? document.activeElement : null), [open])
  return wanted && <LoadedBox {...props} opener={opener} />
}

function LoadedBox(props: DialogBoxProps) {
  const part = useLater(dialogBoxPart)
  return part && <part.DialogBox {...props} />
}
