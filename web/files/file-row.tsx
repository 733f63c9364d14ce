import { Link } from '@tanstack/react-router'
import type { FileEntry } from '../../contract/files.ts'
import { formatBytes } from '../text/format.ts'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { FileOrigin } from '../parts/layout/file-origin.tsx'
import { FileIcon } from './file-icon.tsx'

/** A file in the list; a click shows it. */
export function FileRow({ file }: { readonly file: FileEntry }) {
  return (
    <Link
      to="/files"
      search={(before) => ({ ...before, f: file.file_id })}
      activeOptions={{ includeSearch: true, exact: false }}
      data-row-focus
      className="hover:bg-hover aria-[current=page]:bg-accent-soft flex h-13 items-center gap-3 rounded-md px-2.5 focus-visible:-outline-offset-2"
    >
      <FileIcon file={file} />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{file.name}</span>
        <span className="text-muted flex gap-2 text-sm tabular-nums">
          <span>{formatBytes(file.size)}</span>
          <span aria-hidden>·</span>
          <RelativeTime at={file.created_at} className="truncate" />
          {file.origin && (
            <>
              <span aria-hidden>·</span>
              <FileOrigin origin={file.origin} className="truncate" />
            </>
          )}
        </span>
      </span>
    </Link>
  )
}
