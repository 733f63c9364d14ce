import { Tabs as Radix } from 'radix-ui'
import { useEffect, useRef, type ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import { TAB, TAB_ROW } from './tab-look.ts'

export interface Tab {
  id: string
  label: string
  /** Next to the label, for example a count. */
  note?: ReactNode
  content: () => ReactNode
}

export interface TabsProps {
  label: string
  tabs: readonly Tab[]
  selected: string
  onSelect: (id: string) => void
}

/** Tabs of a page; arrow keys move between them. Only the selected one is rendered. */
export function Tabs({ label, tabs, selected, onSelect }: TabsProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // On a phone the row scrolls, and the selected tab may be out of view.
    list.current?.querySelector('[data-state=active]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [selected])
  return (
    <Radix.Root value={selected} onValueChange={onSelect} activationMode="manual">
      <Radix.List ref={list} aria-label={label} className={classNames(TAB_ROW, 'mb-5')}>
        {tabs.map(({ id, label: text, note }) => (
          <Radix.Trigger key={id} value={id} className={TAB}>
            {text}
            {note}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ id, content }) => (
        <Radix.Content key={id} value={id} tabIndex={-1} className="outline-none">
          {id === selected && content()}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
