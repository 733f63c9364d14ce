import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { FileRef } from '../../../contract/files.ts'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { ReadingForm } from './reading-form.tsx'
import { readingQuery, type Reading } from './reading-query.ts'

interface ReadingDialogProps {
  readonly file: Pick<FileRef, 'file_id' | 'name'>
  /** Empty: the first one. */
  readonly sheet: string
  /** The way the file is read has changed. */
  onChanged(): void
  onClose(): void
}

/** Shows how a file is read as a table, and lets users change or reset it. A separate chunk. */
export function ReadingDialog({ file, sheet, onChanged, onClose }: ReadingDialogProps) {
  const client = useQueryClient()
  const reading = useQuery(readingQuery(file.file_id, sheet))
  const save = useMutation({
    mutationFn: (body: Reading['chosen']) =>
      call('PUT /api/files/{file_id}/table/reading', { params: { file_id: file.file_id }, body }),
    onSuccess: async () => {
      client.removeQueries({ queryKey: ['table-reading', file.file_id] })
      onChanged()
      onClose()
      await client.resetQueries({ queryKey: ['table', file.file_id] })
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('tables.reading')}
      description={t('tables.reading_about', { name: file.name })}
    >
      {reading.data !== undefined ? (
        <ReadingForm
          reading={reading.data}
          busy={save.isPending}
          failure={save.error === null ? null : <ErrorNotice title={t('tables.reading_failed')} error={save.error} />}
          onSave={(chosen) => save.mutate(chosen)}
          onClose={onClose}
        />
      ) : reading.error !== null ? (
        <ErrorNotice title={t('tables.failed')} error={reading.error} onRetry={() => void reading.refetch()} />
      ) : (
        <SkeletonRows rows={5} className="h-9" />
      )}
    </Dialog>
  )
}
