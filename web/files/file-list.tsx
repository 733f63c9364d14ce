import { useInfiniteQuery } from '@tanstack/react-query'
import { FolderOpen, SearchX, Upload } from 'lucide-react'
import { VirtualRows } from '../parts/virtual/virtual-rows.tsx'
import { t } from '../text/i18n.ts'
import { Button } from '../parts/controls/button.tsx'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { DeletedRow } from './deleted-row.tsx'
import { FileRow } from './file-row.tsx'
import { filesQuery } from './files-query.ts'
import type { FileSearch } from './files-search.ts'
import { StorageUse } from './storage-use.tsx'

interface FileListProps {
  readonly search: FileSearch
  /** Null when the role does not allow it. */
  readonly onUpload: (() => void) | null
  onShowAll(): void
}

/** The files that a search finds, loaded on scroll. Arrow keys move through them. */
export function FileList({ search, onUpload, onShowAll }: FileListProps) {
  const query = useInfiniteQuery(filesQuery(search))
  if (query.data === undefined) {
    return query.isError ? (
      <ErrorNotice title={t('files.failed')} error={query.error} onRetry={() => void query.refetch()} className="m-4" />
    ) : (
      <div className="p-3">
        <SkeletonRows rows={7} className="h-12" />
      </div>
    )
  }
  const items = query.data.pages.flatMap((page) => page.items)
  if (items.length === 0) {
    const narrowed = search.q !== '' || search.kind !== null
    return narrowed ? (
      <EmptyState
        icon={SearchX}
        title={t(search.kind === 'deleted' && search.q === '' ? 'files.none_deleted' : 'files.none_found')}
        actions={<Button onClick={onShowAll}>{t('files.show_all')}</Button>}
      />
    ) : (
      <EmptyState
        icon={FolderOpen}
        title={t('files.empty_title')}
        text={t('files.empty_text')}
        actions={
          onUpload && (
            <Button icon={Upload} onClick={onUpload}>
              {t('files.upload')}
            </Button>
          )
        }
      />
    )
  }
  return (
    <>
      <VirtualRows
        label={t('nav.files')}
        rows={items.map((file) => ({
          key: file.file_id,
          estimate: 52,
          render: () => (search.kind === 'deleted' ? <DeletedRow file={file} /> : <FileRow file={file} />),
        }))}
        hasMore={query.hasNextPage}
        onNearEnd={() => {
          if (!query.isFetchingNextPage) void query.fetchNextPage()
        }}
      >
        {query.isFetchNextPageError && (
          <ErrorNotice title={t('files.failed')} error={query.error} onRetry={() => void query.fetchNextPage()} />
        )}
      </VirtualRows>
      <StorageUse usage={query.data.pages[0]!.usage} />
    </>
  )
}
