import { Tabs as Radix } from 'radix-ui'
import { useEffect, useRef, type ReactNode } from 'react'

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
      <Radix.List ref={list} aria-label={label} className="border-line mb-5 flex gap-1 overflow-x-auto border-b">
        {tabs.map(({ id, label: text, note }) => (
          <Radix.Trigger
            key={id}
            value={id}
            className="text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink -mb-px flex h-9 shrink-0 items-center gap-1.5 border-b-2 border-transparent px-2.5 font-medium focus-visible:-outline-offset-2"
          >
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
