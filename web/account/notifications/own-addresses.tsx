import { MailPlus } from 'lucide-react'
import { type SubmitEvent, useState } from 'react'
import { call } from '../../client/api.ts'
import { Button } from '../../parts/controls/button.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { explainError } from '../../client/explain-error.ts'
import { Panel } from '../../parts/layout/panel.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { t } from '../../text/i18n.ts'
import { AddressRow } from './address-row.tsx'
import { type OwnChannel, useOwnChange } from './own-channels.ts'

interface OwnAddressesProps {
  readonly items: readonly OwnChannel[]
  /** There is a mail server. */
  readonly mail: boolean
}

/** The user's mail addresses. Each counts once its code has been entered. */
export function OwnAddresses({ items, mail }: OwnAddressesProps) {
  const [address, setAddress] = useState('')
  const [checked, setChecked] = useState(false)
  const add = useOwnChange()
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    setChecked(true)
    if (!address.includes('@') || add.isPending) return
    add.mutate({
      run: () => call('POST /api/channels', { body: { address: address.trim() } }),
      after: () => {
        setAddress('')
        setChecked(false)
      },
    })
  }
  const wrong = checked && !address.includes('@') ? t('notices.address_wrong') : null
  return (
    <Section title={t('notices.addresses')}>
      <p className="text-muted mb-3 max-w-prose">{t('notices.addresses_text')}</p>
      {items.length > 0 && (
        <Panel className="mb-3">
          <ul aria-label={t('notices.addresses')} className="divide-line divide-y">
            {items.map((channel) => (
              <AddressRow key={channel.channel_id} channel={channel} mail={mail} />
            ))}
          </ul>
        </Panel>
      )}
      {!mail ? (
        <Panel>
          <EmptyState level={3} icon={MailPlus} title={t('notices.no_server')} text={t('notices.no_server_text')} />
        </Panel>
      ) : (
        items.length < 3 && (
          <form onSubmit={onSubmit} noValidate className="flex flex-wrap items-start gap-2">
            <TextField
              label={t('notices.address')}
              hideLabel
              type="email"
              value={address}
              onChange={(value) => {
                setAddress(value)
                add.reset()
              }}
              error={add.isError ? explainError(add.error) : wrong}
              placeholder="name@example.org"
              autoComplete="email"
              className="min-w-0 flex-1 basis-60"
            />
            <Button type="submit" busy={add.isPending}>
              {t('notices.add')}
            </Button>
          </form>
        )
      )}
    </Section>
  )
}
