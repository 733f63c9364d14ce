import { type FormEvent, useState } from 'react'
import { call } from '../../client/api.ts'
import { Button } from '../../parts/controls/button.tsx'
import { TextArea } from '../../parts/controls/text-area.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { t } from '../../text/i18n.ts'
import { useClientsChange } from './clients-query.ts'
import { linesOf } from './lines-of.ts'

/** Hosts whose MCP clients describe themselves, instead of being registered. */
export function ClientHosts({ stored }: { readonly stored: readonly string[] }) {
  const [text, setText] = useState(stored.join('\n'))
  const save = useClientsChange()
  const hosts = linesOf(text.toLowerCase())
  const changed = hosts.join('\n') !== stored.join('\n')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (changed) save.mutate(() => call('PUT /api/oauth/hosts', { body: { hosts } }))
  }
  return (
    <Section title={t('clients.hosts')}>
      <form onSubmit={submit} className="space-y-3">
        {save.isError && <ErrorNotice title={t('clients.failed')} error={save.error} />}
        <TextArea
          label={t('clients.hosts')}
          hideLabel
          hint={t('clients.hosts_text')}
          value={text}
          onChange={setText}
          rows={3}
        />
        <Button type="submit" disabled={!changed} busy={save.isPending}>
          {t('action.save')}
        </Button>
      </form>
    </Section>
  )
}
