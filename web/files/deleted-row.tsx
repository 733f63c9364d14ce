import type { FileEntry } from '../../contract/files.ts'
import { formatBytes } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { Button } from '../parts/controls/button.tsx'
import { restoreFile } from './delete-file.ts'
import { FileIcon } from './file-icon.tsx'

/** A deleted file in the list, which can be restored. */
export function DeletedRow({ file }: { readonly file: FileEntry }) {
  return (
    <div className="flex h-13 items-center gap-3 px-2.5">
      <FileIcon file={file} />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{file.name}</span>
        <span className="text-muted block text-sm tabular-nums">{formatBytes(file.size)}</span>
      </span>
      <Button
        size="sm"
        data-row-focus
        aria-label={t('files.restore_name', { name: file.name })}
        onClick={() => void restoreFile(file)}
      >
        {t('files.restore')}
      </Button>
    </div>
  )
}
