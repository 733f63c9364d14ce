import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { CalendarClock, Ellipsis, FileDown, Info, LetterText, ListChecks } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { Message } from '../../../contract/chat.ts'
import { explainError } from '../../client/explain-error.ts'
import { sessionQuery } from '../../client/queries.ts'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { Menu, type MenuEntry } from '../../parts/controls/menu.tsx'
import { copyText } from '../../parts/copy-text.ts'
import { toast } from '../../parts/feedback/toast.tsx'
import { t } from '../../text/i18n.ts'
import { markdownAsText } from '../markdown/plain-text.ts'

const RunDialog = lazy(async () => ({ default: (await import('./run-dialog.tsx')).RunDialog }))

/** What else can be done with an answer. What an action needs is loaded when it is chosen. */
export function AnswerMenu({ message, text }: { readonly message: Message; readonly text: string }) {
  const { run_id, parts, status } = message
  const navigate = useNavigate()
  const permissions = useQuery(sessionQuery).data?.user.permissions
  const [open, setOpen] = useState(false)
  const [busy, setBusy] = useState(false)
  const whileBusy = async (action: () => Promise<void>): Promise<void> => {
    setBusy(true)
    try {
      await action()
    } catch (error) {
      toast({ text: explainError(error), tone: 'danger' })
    } finally {
      setBusy(false)
    }
  }
  const entries: MenuEntry[] = []
  if (text !== '')
    entries.push({ label: t('chat.copy_text'), icon: LetterText, onSelect: () => void copy(markdownAsText(text)) })
  if (run_id !== null) {
    const savable = text !== '' || parts.some(({ type }) => type === 'table')
    if (savable && permissions?.['files.create'] !== 'deny') {
      const show = (f: string): void => void navigate({ to: '/files', search: { f } })
      const onSelect = () => void whileBusy(async () => (await import('./save-report.ts')).saveReport(run_id, show))
      entries.push({ label: t('chat.save_report'), icon: FileDown, disabled: busy, onSelect })
    }
    if (status === 'complete' && !message.imported) {
      const onSelect = () => void whileBusy(async () => (await import('./make-routine.ts')).makeRoutine(message))
      entries.push({ label: t('routines.every'), icon: CalendarClock, disabled: busy, onSelect })
    }
    if (parts.some((part) => part.type === 'tool_call' && part.tool_call.status === 'done')) {
      const onSelect = () =>
        void whileBusy(async () => {
          const id = await (await import('../../procedures/make-procedure.ts')).makeProcedure(run_id)
          if (id !== null) await navigate({ to: '/procedures/$id', params: { id }, search: { edit: true } })
        })
      entries.push({ label: t('procedures.make'), icon: ListChecks, disabled: busy, onSelect })
    }
    entries.push({ label: t('chat.run_details'), icon: Info, onSelect: () => setOpen(true) })
  }
  if (entries.length === 0) return null
  return (
    <>
      <Menu
        trigger={<IconButton label={t('chat.more_actions')} icon={Ellipsis} size="sm" aria-busy={busy} />}
        entries={entries}
      />
      {open && run_id !== null && (
        <Suspense>
          <RunDialog runId={run_id} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

async function copy(text: string): Promise<void> {
  if (!(await copyText(text))) return toast({ text: t('copy.failed'), tone: 'danger' })
  toast({ text: t('copy.done'), tone: 'ok' })
}
