import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FileDown } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { sessionQuery } from '../../client/queries.ts'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { t } from '../../text/i18n.ts'

/** Saves an answer and the tables of its calls as files; saving it again shows the same ones. */
export function SaveReport({ runId }: { readonly runId: string }) {
  const navigate = useNavigate()
  const permissions = useQuery(sessionQuery).data?.user.permissions
  const [busy, setBusy] = useState(false)
  const onClick = async (): Promise<void> => {
    setBusy(true)
    try {
      const { file } = await call('POST /api/chat/runs/{run_id}/report', { params: { run_id: runId } })
      const onAction = (): void => void navigate({ to: '/files', search: { f: file.file_id } })
      toast({ text: t('chat.report_saved'), tone: 'ok', action: { label: t('chat.report_show'), onAction } })
    } catch (error) {
      toast({ text: explainError(error), tone: 'danger' })
    } finally {
      setBusy(false)
    }
  }
  if (permissions?.['files.create'] === 'deny') return null
  return (
    <IconButton
      label={t('chat.save_report')}
      icon={FileDown}
      size="sm"
      aria-disabled={busy}
      onClick={() => void (busy || onClick())}
    />
  )
}
