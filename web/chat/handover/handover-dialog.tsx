import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { HANDOVER_DAYS, HANDOVER_NOTE_LIMIT } from '../../../contract/handover-limits.ts'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { sessionQuery } from '../../client/queries.ts'
import { queryClient } from '../../client/query-client.ts'
import { SuggestField } from '../../parts/controls/suggest-field.tsx'
import { TextArea } from '../../parts/controls/text-area.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { FormDialog } from '../../parts/layout/form-dialog.tsx'
import { t } from '../../text/i18n.ts'

interface HandoverDialogProps {
  readonly conversationId: string
  readonly title: string
  onClose(): void
}

/** Offers a conversation to another person. Only administrators are shown who there is. */
export function HandoverDialog({ conversationId, title, onClose }: HandoverDialogProps) {
  const [username, setUsername] = useState('')
  const [note, setNote] = useState('')
  const people = usePeople()
  const offering = useMutation({
    mutationFn: () =>
      call('POST /api/chat/conversations/{conversation_id}/handover', {
        params: { conversation_id: conversationId },
        body: { username: username.trim(), ...(note.trim() !== '' && { note: note.trim() }) },
      }),
    onSuccess: () => {
      toast({ text: t('handover.offered', { name: username.trim() }), tone: 'ok' })
      void queryClient.invalidateQueries({ queryKey: ['handovers'] })
      onClose()
    },
  })
  const ready = username.trim() !== '' && !offering.isPending
  const onSubmit = (): void => {
    if (ready) offering.mutate()
  }
  return (
    <FormDialog
      title={t('handover.title')}
      size="sm"
      onClose={onClose}
      onSubmit={onSubmit}
      submit={t('handover.offer')}
      busy={offering.isPending}
      disabled={username.trim() === ''}
    >
      <p className="font-medium break-words">{title}</p>
      <p className="text-muted text-sm">{t('handover.text', { count: HANDOVER_DAYS })}</p>
      <SuggestField
        label={t('handover.username')}
        hint={t('handover.username_hint')}
        value={username}
        onChange={(value) => {
          setUsername(value)
          offering.reset()
        }}
        options={people}
        error={offering.isError ? explainError(offering.error) : null}
        autoFocus
      />
      <TextArea label={t('handover.note')} value={note} onChange={setNote} maxLength={HANDOVER_NOTE_LIMIT} rows={3} />
    </FormDialog>
  )
}

/** Who may take it over, for administrators; nobody else may list people. */
function usePeople(): readonly { readonly value: string; readonly label: string }[] {
  const me = useQuery(sessionQuery).data?.user
  const users = useQuery({
    queryKey: ['users', 'names', ''],
    queryFn: ({ signal }) => call('GET /api/admin/users', { query: { limit: 200 }, signal }),
    enabled: me?.admin === true,
  })
  return (users.data?.items ?? [])
    .filter((user) => !user.disabled && user.username !== me?.username)
    .map((user) => ({ value: user.username, label: user.display_name }))
}
