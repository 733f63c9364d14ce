import { Slot } from 'radix-ui'
import { useId, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactElement } from 'react'
import { later, useLater } from '../later.ts'
import type { MenuEntry, MenuListProps } from './menu-list.tsx'

export type { MenuEntry } from './menu-list.tsx'

interface MenuProps extends Pick<MenuListProps, 'align' | 'side'> {
  /** The button that opens the menu. */
  trigger: ReactElement
  entries: readonly MenuEntry[]
  /** If given, the caller controls whether the menu is open. */
  open?: boolean
  onOpenChange?: (open: boolean) => void
}

export const menuListPart = later(() => import('./menu-list.tsx'))

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
