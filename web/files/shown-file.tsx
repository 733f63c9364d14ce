import { Link } from '@tanstack/react-router'
import { Sheet } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { FileRef } from '../../contract/files.ts'
import { pathOf } from '../client/api.ts'
import { FileLink } from '../chat/message/file-link.tsx'
import { classNames } from '../parts/class-names.ts'
import { t } from '../text/i18n.ts'
import { Button } from '../parts/controls/button.tsx'
import { Skeleton } from '../parts/feedback/skeleton.tsx'
import { shownAs } from './file-kind.ts'

const FileTable = lazy(async () => ({ default: (await import('../tables/file-table.tsx')).FileTable }))
/** Thumbnail width in pixels: twice the displayed width, for high-density screens. */
const THUMBNAIL = 640

/** A stored file of a message: images as thumbnails, tables as a grid on request. A separate chunk. */
export function ShownFile({ file }: { readonly file: FileRef }) {
  const [open, setOpen] = useState(false)
  const [broken, setBroken] = useState(false)
  const kind = shownAs(file)
  const params = { file_id: file.file_id }
  return (
    <div className={classNames('flex max-w-full min-w-0 flex-col gap-2', open && 'w-full')}>
      <div className="flex max-w-full flex-wrap items-center gap-2">
        <FileLink file={file} />
        {kind === 'table' && (
          <Button size="sm" icon={Sheet} aria-expanded={open} onClick={() => setOpen(!open)}>
            {t(open ? 'files.close_table' : 'files.open_table')}
          </Button>
        )}
      </div>
      {kind === 'image' && !broken && (
        <Link to="/files" search={{ f: file.file_id }} className="block max-w-full self-start rounded-lg">
          <img
            src={pathOf('/api/files/{file_id}/preview', params, { width: THUMBNAIL })}
            alt={file.name}
            loading="lazy"
            onError={() => setBroken(true)}
            className="border-line h-44 max-w-full rounded-lg border object-contain"
          />
        </Link>
      )}
      {open && (
        <div className="border-line bg-surface flex max-h-[32rem] w-full min-w-0 flex-col overflow-hidden rounded-lg border">
          <Suspense fallback={<Skeleton className="m-3 h-40" />}>
            <FileTable file={file} fill={false} />
          </Suspense>
        </div>
      )}
    </div>
  )
}
