import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { t } from '../text/i18n.ts'

interface SheetTabsProps {
  readonly sheets: readonly string[]
  readonly selected: string
  onSelect(sheet: string): void
  readonly children: ReactNode
}

/** The sheets of a file as tabs below its grid, as in a spreadsheet; renders nothing for a single sheet. */
export function SheetTabs({ sheets, selected, onSelect, children }: SheetTabsProps) {
  if (sheets.length < 2) return children
  return (
    <Radix.Root
      value={selected}
      onValueChange={onSelect}
      activationMode="manual"
      className="flex min-h-0 min-w-0 flex-1 flex-col"
    >
      <Radix.Content value={selected} tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
        {children}
      </Radix.Content>
      <Radix.List
        aria-label={t('tables.sheets')}
        className="border-line bg-sunken flex shrink-0 gap-0.5 overflow-x-auto border-t px-2 py-1"
      >
        {sheets.map((sheet) => (
          <Radix.Trigger
            key={sheet}
            value={sheet}
            className="text-muted hover:text-ink data-[state=active]:bg-surface data-[state=active]:text-ink h-7 max-w-48 shrink-0 truncate rounded-md px-2.5 text-sm font-medium focus-visible:-outline-offset-2 data-[state=active]:shadow-sm"
          >
            {sheet}
          </Radix.Trigger>
        ))}
      </Radix.List>
    </Radix.Root>
  )
}
