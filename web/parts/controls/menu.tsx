import type { LucideIcon } from 'lucide-react'
import { Slot } from 'radix-ui'
import { useId, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactElement } from 'react'
import { useLater } from '../later.ts'
import { menuListPart } from '../load-parts.ts'
import type { MenuListProps } from './menu-list.tsx'

export interface MenuItem {
  label: string
  onSelect: () => void
  icon?: LucideIcon
  danger?: boolean
  disabled?: boolean
  /** If given, the item is one of several choices, marked when chosen. */
  checked?: boolean
  /** The menu stays open, so that several items can be chosen. */
  stays?: boolean
  /** Shown on the right, for example a shortcut. */
  note?: string
}
export type MenuEntry = MenuItem | 'separator' | { heading: string; text?: string }

export interface MenuProps {
  /** The button that opens the menu. */
  trigger: ReactElement
  entries: readonly MenuEntry[]
  align?: 'start' | 'center' | 'end'
  side?: 'top' | 'right' | 'bottom' | 'left'
  /** If given, the caller controls whether the menu is open. */
  open?: boolean
  onOpenChange?: (open: boolean) => void
}

const OPENING_KEYS = ['Enter', ' ', 'ArrowDown']

/**
 * A button that opens a menu of actions. The list is loaded when the button is first pointed at or focused: most menus
 * of a page are never opened.
 */
export function Menu({ trigger, entries, align = 'start', side = 'bottom', open: given, onOpenChange }: MenuProps) {
  const id = useId()
  const button = useRef<HTMLElement>(null)
  const [own, setOwn] = useState(false)
  const [wanted, setWanted] = useState(false)
  const [byPointer, setByPointer] = useState(false)
  const open = given ?? own
  const change = (next: boolean): void => {
    if (!next) setByPointer(false)
    setOwn(next)
    onOpenChange?.(next)
  }
  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0 || event.ctrlKey) return
    setByPointer(true)
    change(!open)
    // The focus goes to the list, not to the button first.
    if (!open) event.preventDefault()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!OPENING_KEYS.includes(event.key)) return
    event.preventDefault()
    change(event.key === 'ArrowDown' || !open)
  }
  return (
    <>
      <Slot.Root
        ref={button}
        id={id}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? `${id}list` : undefined}
        onPointerEnter={() => setWanted(true)}
        onFocus={() => setWanted(true)}
        onPointerDown={onPointerDown}
        onKeyDown={onKeyDown}
      >
        {trigger}
      </Slot.Root>
      {(wanted || open) && (
        <LoadedList
          id={`${id}list`}
          labelledBy={id}
          button={button}
          open={open}
          byKey={!byPointer}
          onOpenChange={change}
          entries={entries}
          align={align}
          side={side}
        />
      )}
    </>
  )
}

function LoadedList(props: MenuListProps) {
  const part = useLater(menuListPart)
  return part && <part.MenuList {...props} />
}
