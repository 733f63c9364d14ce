import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Files, Upload } from 'lucide-react'
import { useCallback } from 'react'
import type { FileEntry } from '../../contract/files.ts'
import { useFileDrop } from '../uploads/use-file-drop.ts'
import { useUploads } from '../uploads/use-uploads.ts'
import { classNames } from '../parts/class-names.ts'
import { deleteFile } from '../files/delete-file.ts'
import { FileFilters } from '../files/file-filters.tsx'
import { FileList } from '../files/file-list.tsx'
import { FilePicker } from '../files/file-picker.tsx'
import { FilePreview } from '../files/file-preview.tsx'
import { fileQuery, filesQuery } from '../files/files-query.ts'
import { fileSearch, searchAddress, type FileSearch } from '../files/files-search.ts'
import { LostFile } from '../files/lost-file.tsx'
import { UploadDrop } from '../files/upload-drop.tsx'
import { UploadList } from '../files/upload-list.tsx'
import { useFilePaste } from '../files/use-file-paste.ts'
import { t } from '../text/i18n.ts'
import { announce } from '../parts/feedback/announcer.tsx'
import { Button } from '../parts/controls/button.tsx'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { countOf } from '../parts/filters/filter-bar.tsx'
import { Page } from '../parts/layout/page.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { sessionQuery } from '../client/queries.ts'

const route = getRouteApi('/app/files')

/** The user's stored files: find, upload, preview, download, delete. */
export function FilesPage() {
  const { f: open, ...address } = route.useSearch()
  const search = fileSearch(address)
  const navigate = route.useNavigate()
  const client = useQueryClient()
  const permissions = useQuery(sessionQuery).data?.user.permissions
  const mayAdd = permissions?.['files.create'] !== 'deny'
  const mayDelete = permissions?.['files.delete'] !== 'deny'
  const file = useQuery({ ...fileQuery(open ?? ''), enabled: open !== undefined })
  const count = countOf(useInfiniteQuery(filesQuery(search)))
  const uploads = useUploads(null, (_, { name }) => {
    announce(t('files.uploaded', { name }))
    void client.invalidateQueries({ queryKey: ['files', 'list'] })
  })
  const add = (files: readonly File[]): void => {
    if (mayAdd) uploads.add(files)
  }
  const over = useFileDrop(add)
  useFilePaste(add)
  const close = (): void => void navigate({ search: (before) => ({ ...before, f: undefined }) })
  const removeShown = async (entry: FileEntry): Promise<void> => {
    if (!(await deleteFile(entry))) return
    client.removeQueries({ queryKey: fileQuery(entry.file_id).queryKey })
    close()
  }
  const onSearch = useCallback(
    (next: FileSearch) =>
      void navigate({
        replace: true,
        search: ({ f }) => ({ ...(f === undefined ? {} : { f }), ...searchAddress(next) }),
      }),
    [navigate],
  )
  return (
    <FilePicker onFiles={add}>
      {(pick) => (
        <Page
          title={t('nav.files')}
          fill
          actions={
            mayAdd && (
              <Button variant="primary" icon={Upload} onClick={pick} aria-label={t('files.upload')}>
                <span className="max-sm:hidden">{t('files.upload')}</span>
              </Button>
            )
          }
        >
          <div
            className={classNames(
              'border-line flex min-h-0 w-full shrink-0 flex-col lg:w-88 lg:border-e',
              open !== undefined && 'max-lg:hidden',
            )}
          >
            <FileFilters search={search} onChange={onSearch} count={count} />
            <UploadList uploads={uploads} />
            {!mayAdd && <p className="text-muted border-line border-b px-4 py-2 text-sm">{t('files.read_only')}</p>}
            <FileList
              search={search}
              onUpload={mayAdd ? pick : null}
              onShowAll={() => onSearch({ ...search, q: '', kind: null })}
            />
          </div>
          {open === undefined ? (
            <div className="flex flex-1 items-center justify-center max-lg:hidden">
              <EmptyState icon={Files} title={t('files.choose')} text={t('files.choose_text')} />
            </div>
          ) : file.data !== undefined ? (
            <FilePreview
              key={file.data.file_id}
              file={file.data}
              onClose={close}
              onDelete={mayDelete ? () => void removeShown(file.data) : null}
            />
          ) : file.isError ? (
            <LostFile error={file.error} onRetry={() => void file.refetch()} onClose={close} />
          ) : (
            <div className="flex-1 p-4">
              <SkeletonRows rows={4} />
            </div>
          )}
          {over && mayAdd && <UploadDrop />}
        </Page>
      )}
    </FilePicker>
  )
}
