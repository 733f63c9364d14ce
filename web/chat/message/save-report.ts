import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { toast } from '../../parts/feedback/toast.tsx'
import { t } from '../../text/i18n.ts'

/** Saves an answer and the tables of its calls as files, and offers to show them; saving it again shows the same ones. */
export async function saveReport(run_id: string, show: (file_id: string) => void): Promise<void> {
  try {
    const { file } = await call('POST /api/chat/runs/{run_id}/report', { params: { run_id } })
    const onAction = (): void => show(file.file_id)
    toast({ text: t('chat.report_saved'), tone: 'ok', action: { label: t('chat.report_show'), onAction } })
  } catch (error) {
    toast({ text: explainError(error), tone: 'danger' })
  }
}
