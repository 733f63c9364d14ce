import { Copy } from 'lucide-react'
import { AskButton } from '../../chat/asking/ask-button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { t } from '../../text/i18n.ts'

interface SelectionBarProps {
  readonly rows: number
  readonly columns: number
  /** Title of the table, often the name of a file. */
  readonly title: string
  onCopy(): void
  /** The selection with its header, as tab-separated text. */
  text(): Promise<string>
}

/** What can be done with the selected cells, below the grid. */
export function SelectionBar({ rows, columns, title, onCopy, text }: SelectionBarProps) {
  return (
    <div className="border-line bg-sunken flex items-center gap-1 border-t py-0.5 ps-3 pe-1 text-sm">
      <p role="status" className="text-muted min-w-0 flex-1 truncate tabular-nums">
        {t('tables.selected', { rows, columns })}
      </p>
      <AskButton about={async () => ({ name: `${title.replace(/\.\w{1,8}$/, '')}.tsv`, text: await text() })} />
      <IconButton label={t('tables.copy_selection')} icon={Copy} size="sm" onClick={onCopy} />
    </div>
  )
}
