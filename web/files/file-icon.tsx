import { File, FileImage, FileSpreadsheet, FileText } from 'lucide-react'
import { shownAs, type Named } from './file-kind.ts'

const ICONS = { image: FileImage, table: FileSpreadsheet, text: FileText, pdf: FileText, none: File }

/** Icon for a file's type; its name says the same in words. */
export function FileIcon({ file }: { readonly file: Named }) {
  const Icon = ICONS[shownAs(file)]
  return <Icon aria-hidden className="text-muted size-5 shrink-0" />
}
