import { Plug, Plus } from 'lucide-react'
import { useState } from 'react'
import type { OauthClient } from '../../../contract/oauth.ts'
import { call } from '../../client/api.ts'
import { Button } from '../../parts/controls/button.tsx'
import { TextArea } from '../../parts/controls/text-area.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { CodeBlock } from '../../parts/layout/code-block.tsx'
import { ConfirmDialog } from '../../parts/layout/confirm-dialog.tsx'
import { FormDialog } from '../../parts/layout/form-dialog.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { t } from '../../text/i18n.ts'
import { useClientsChange } from './clients-query.ts'
import { linesOf } from './lines-of.ts'

/** MCP clients that are registered here, each with the id that it is told. */
export function ClientList({ clients }: { readonly clients: readonly OauthClient[] }) {
  const [adding, setAdding] = useState(false)
  const [leaving, setLeaving] = useState<OauthClient | null>(null)
  const remove = useClientsChange()
  const add = (
    <Button icon={Plus} onClick={() => setAdding(true)}>
      {t('clients.add')}
    </Button>
  )
  return (
    <Section title={t('clients.title')} actions={clients.length > 0 && add}>
      {remove.isError && <ErrorNotice title={t('clients.failed')} error={remove.error} />}
      <Panel>
        {clients.length === 0 ? (
          <EmptyState level={3} icon={Plug} title={t('clients.none')} text={t('clients.none_text')} actions={add} />
        ) : (
          <ul className="divide-line divide-y">
            {clients.map((client) => (
              <li key={client.client_id} className="flex flex-wrap items-start justify-between gap-3 px-4 py-3">
                <div className="min-w-0 flex-1 space-y-1.5">
                  <p className="font-medium break-words">{client.name}</p>
                  <p className="text-muted font-mono text-sm break-all">{client.redirect_uris.join(', ')}</p>
                  <CodeBlock code={client.client_id} language={t('clients.id')} wrap />
                </div>
                <Button size="sm" onClick={() => setLeaving(client)}>
                  {t('clients.remove')}
                  <span className="sr-only"> {client.name}</span>
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      {adding && <ClientDialog onClose={() => setAdding(false)} />}
      {leaving !== null && (
        <ConfirmDialog
          title={t('clients.remove_title', { name: leaving.name })}
          text={t('clients.remove_text')}
          verb={t('clients.remove')}
          danger
          onConfirm={() => {
            const params = { client_id: leaving.client_id }
            remove.mutate(() => call('DELETE /api/oauth/clients/{client_id}', { params }))
          }}
          onClose={() => setLeaving(null)}
        />
      )}
    </Section>
  )
}

function ClientDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('')
  const [addresses, setAddresses] = useState('')
  const add = useClientsChange(onClose)
  const redirect_uris = linesOf(addresses)
  return (
    <FormDialog
      title={t('clients.add')}
      submit={t('clients.add')}
      busy={add.isPending}
      disabled={name.trim() === '' || redirect_uris.length === 0}
      onSubmit={() => add.mutate(() => call('POST /api/oauth/clients', { body: { name, redirect_uris } }))}
      onClose={onClose}
    >
      {add.isError && <ErrorNotice title={t('clients.failed')} error={add.error} />}
      <TextField label={t('clients.name')} value={name} onChange={setName} maxLength={80} autoFocus required />
      <TextArea
        label={t('clients.redirects')}
        hint={t('clients.redirects_hint')}
        value={addresses}
        onChange={setAddresses}
        rows={3}
        required
      />
    </FormDialog>
  )
}
