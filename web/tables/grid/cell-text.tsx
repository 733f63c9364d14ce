import { CopyButton } from '../../parts/controls/copy-button.tsx'

/** Shorter text is readable in its cell. */
const LONG = 24

/** The full text of the selected cell, below the grid, when it may not fit in the cell. */
export function CellText({ label, text }: { readonly label: string; readonly text: string }) {
  if (text.length <= LONG) return null
  return (
    <div className="border-line bg-sunken flex items-start gap-2 border-t py-1 ps-3 pe-1 text-sm">
      <p className="text-muted max-w-40 shrink-0 truncate py-1">{label}</p>
      <p className="max-h-24 min-w-0 flex-1 overflow-y-auto py-1 wrap-anywhere whitespace-pre-wrap" tabIndex={0}>
        {text}
      </p>
      <CopyButton text={text} />
    </div>
  )
}
