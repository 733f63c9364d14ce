import { useMutation } from '@tanstack/react-query'
import { useId, useState, type FormEvent } from 'react'
import { MCP_TOKEN_DAYS } from '../../../contract/token-limits.ts'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import type { MadeToken } from './new-token.tsx'
import { TokenScope, ToolScope } from './token-scope.tsx'

const DAY_MS = 86_400_000
const DAYS = ['7', '30', '90', '365'] as const
const ENDLESS = ''

interface TokenDialogProps {
  /** What it is for unless the person chooses otherwise. */
  readonly audience: MadeToken['audience']
  onClose(): void
  /** The token itself, which the server does not show again. */
  onMade(made: MadeToken): void
}

/** Creates an access token: its name, expiry and permissions, which cannot exceed the user's own. */
export function TokenDialog({ audience: wanted, onClose, onMade }: TokenDialogProps) {
  const form = useId()
  const [name, setName] = useState('')
  const [days, setDays] = useState<string>('90')
  const [scope, setScope] = useState<readonly string[] | null>(wanted === 'mcp' ? [] : null)
  const [audience, setAudience] = useState(wanted)
  const offered = audience === 'api' ? [...DAYS, ENDLESS] : DAYS.filter((one) => Number(one) <= MCP_TOKEN_DAYS)
  const make = useMutation({
    mutationFn: () =>
      call('POST /api/auth/tokens', {
        body: {
          name,
          audience,
          ...(days === ENDLESS ? {} : { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
          ...(scope === null ? {} : { permissions: [...scope] }),
        },
      }),
    onSuccess: ({ token, item }) => onMade({ token, audience: item.audience }),
  })
  const named = audience === 'mcp' ? scope?.some((subject) => subject.startsWith('tool:')) : scope?.length !== 0
  const usable = name.trim() !== '' && named
  const choose = (value: string): void => {
    setAudience(value === 'mcp' ? 'mcp' : 'api')
    setScope(value === 'mcp' ? [] : null)
    setDays('90')
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (usable && !make.isPending) make.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t(wanted === 'mcp' ? 'account.client_connect' : 'account.token_make')}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" form={form} variant="primary" disabled={!usable} busy={make.isPending}>
            {t('account.token_make')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="space-y-4">
        {audience === 'mcp' && window.location.protocol === 'https:' && (
          <Notice tone="info">{t('account.client_oauth', { address: `${window.location.origin}/mcp` })}</Notice>
        )}
        {make.isError && <ErrorNotice title={t('account.token_failed')} error={make.error} />}
        <TextField
          label={t('account.token_name')}
          hint={t('account.token_name_hint')}
          value={name}
          onChange={setName}
          maxLength={80}
          autoFocus
          required
        />
        <SelectField
          label={t('account.token_audience')}
          hint={t(audience === 'api' ? 'account.token_api_hint' : 'account.token_mcp_hint')}
          value={audience}
          onChange={choose}
          options={[
            { value: 'api', label: t('account.token_api') },
            { value: 'mcp', label: t('account.token_mcp') },
          ]}
        />
        <SelectField
          label={t('account.token_expiry')}
          value={days}
          onChange={setDays}
          options={offered.map((value) => ({
            value,
            label: value === ENDLESS ? t('account.token_endless') : t('account.token_days', { count: Number(value) }),
          }))}
        />
        {audience === 'api' ? (
          <TokenScope scope={scope} onChange={setScope} />
        ) : (
          <ToolScope scope={scope ?? []} onChange={setScope} />
        )}
      </form>
    </Dialog>
  )
}
