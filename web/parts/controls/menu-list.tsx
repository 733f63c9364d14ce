import { Check, type LucideIcon } from 'lucide-react'
import { DropdownMenu as Radix } from 'radix-ui'
import type { RefObject } from 'react'
import { classNames } from '../class-names.ts'
import { StandIn } from '../layout/stand-in.tsx'

interface MenuItem {
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

export interface MenuListProps {
  readonly entries: readonly MenuEntry[]
  readonly align?: 'start' | 'center' | 'end'
  readonly side?: 'top' | 'right' | 'bottom' | 'left'
  /** Id of the list; the button's is `labelledBy`. */
  readonly id: string
  readonly labelledBy: string
  readonly button: RefObject<HTMLElement | null>
  readonly open: boolean
  /** Opened by a key: the first item takes the focus, as a list that is told of its keys too late can't know. */
  readonly byKey: boolean
  onOpenChange(open: boolean): void
}

/** The open list of a menu. Loaded by it when first needed. */
export function MenuList({ id, labelledBy, button, open, byKey, onOpenChange, entries, align, side }: MenuListProps) {
  return (
    // Not modal: a click outside should reach its target.
    <Radix.Root modal={false} open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>
        <StandIn element={button} />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          id={id}
          aria-labelledby={labelledBy}
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={8}
          onFocus={(event) => {
            const cameFrom = event.relatedTarget
            const inside = cameFrom instanceof Node && event.currentTarget.contains(cameFrom)
            if (byKey && event.target === event.currentTarget && !inside) focusFirst(event.currentTarget)
          }}
          className="animate-fade bg-raised border-line z-50 max-h-(--radix-dropdown-menu-content-available-height) max-w-(--radix-dropdown-menu-content-available-width) min-w-48 overflow-y-auto rounded-lg border p-1 shadow-md"
        >
          {entries.map((entry, index) => (
            <Entry key={index} entry={entry} />
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

function focusFirst(list: HTMLElement): void {
  list.querySelector<HTMLElement>('[role^=menuitem]:not([data-disabled])')?.focus({ preventScroll: true })
}

const ITEM =
  'flex min-h-8 items-center gap-2.5 rounded-md px-2 py-1 outline-none select-none data-[highlighted]:bg-hover data-[disabled]:opacity-50'

function Entry({ entry }: { entry: MenuEntry }) {
  if (entry === 'separator') return <Radix.Separator className="bg-line mx-1 my-1 h-px" />
  if ('heading' in entry) {
    return (
      <Radix.Label className="px-2 py-1.5">
        <span className="block truncate font-medium">{entry.heading}</span>
        {entry.text !== undefined && <span className="text-muted block max-w-80 text-sm">{entry.text}</span>}
      </Radix.Label>
    )
  }
  const { label, onSelect, icon: Icon, danger, disabled, checked, stays, note } = entry
  const content = (
    <>
      {Icon !== undefined && <Icon aria-hidden className={classNames('size-4 shrink-0', !danger && 'text-muted')} />}
      <span className="min-w-0 flex-1 truncate">{label}</span>
      {note !== undefined && <span className="text-muted text-sm">{note}</span>}
      {checked === true && <Check aria-hidden className="text-accent size-4 shrink-0" />}
    </>
  )
  const className = classNames(ITEM, danger && 'text-danger')
  return checked === undefined ? (
    <Radix.Item className={className} onSelect={onSelect} disabled={disabled}>
      {content}
    </Radix.Item>
  ) : (
    <Radix.CheckboxItem
      className={className}
      checked={checked}
      onSelect={(event) => {
        if (stays === true) event.preventDefault()
        onSelect()
      }}
      disabled={disabled}
    >
      {content}
    </Radix.CheckboxItem>
  )
}
