import { useState } from 'react'
import { parsePrompt } from '../../contract/variables.ts'
import { call } from '../client/api.ts'
import { queryClient } from '../client/query-client.ts'
import { Button } from '../parts/controls/button.tsx'
import { CheckField } from '../parts/controls/check-field.tsx'
import { SelectField } from '../parts/controls/select-field.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Notice } from '../parts/feedback/notice.tsx'
import { CodeBlock } from '../parts/layout/code-block.tsx'
import { Dialog } from '../parts/layout/dialog.tsx'
import { FormDialog } from '../parts/layout/form-dialog.tsx'
import { t } from '../text/i18n.ts'
import type { Hook, Routine } from './routines-query.ts'

const KINDS = ['generic', 'alertmanager'] as const
type Kind = (typeof KINDS)[number]

/** Adds a webhook, and shows its secret: this once. */
export function HookDialog({ routine, onClose }: { readonly routine: Routine; onClose(): void }) {
  const [kind, setKind] = useState<Kind>('generic')
  const [resolved, setResolved] = useState(false)
  const [labels, setLabels] = useState<Readonly<Record<string, string>>>({})
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const [made, setMade] = useState<{ hook: Hook; secret: string } | null>(null)
  if (made !== null) return <MadeHook {...made} onClose={onClose} />
  const variables =
    routine.work.kind === 'text' ? parsePrompt(routine.work.text).variables.filter(({ type }) => type !== 'text') : []
  const add = async (): Promise<void> => {
    setBusy(true)
    try {
      const given = Object.fromEntries(Object.entries(labels).filter(([, label]) => label.trim() !== ''))
      const { hook, secret } = await call('POST /api/routines/{routine_id}/webhooks', {
        params: { routine_id: routine.routine_id },
        body: { kind, resolved, labels: given },
      })
      setMade({ hook, secret })
    } catch (thrown) {
      setError(thrown)
      setBusy(false)
    } finally {
      await queryClient.invalidateQueries({ queryKey: ['routines'] })
    }
  }
  const onSubmit = (): void => {
    if (!busy) void add()
  }
  return (
    <FormDialog
      title={t('routines.hook_add')}
      onClose={onClose}
      onSubmit={onSubmit}
      submit={t('routines.hook_make')}
      busy={busy}
    >
      {error !== null && <ErrorNotice title={t('routines.not_saved')} error={error} />}
      <SelectField
        label={t('routines.hook_kind')}
        hint={t(`routines.hook_${kind}_hint`)}
        value={kind}
        onChange={(next) => setKind(next as Kind)}
        options={KINDS.map((one) => ({ value: one, label: t(`routines.hook_${one}`) }))}
      />
      {variables.map(({ name }) => (
        <TextField
          key={name}
          label={t('routines.hook_label', { name })}
          hint={t('routines.hook_label_hint')}
          value={labels[name] ?? ''}
          onChange={(label) => setLabels({ ...labels, [name]: label })}
          autoComplete="off"
          spellCheck={false}
        />
      ))}
      {kind === 'alertmanager' && (
        <CheckField label={t('routines.hook_resolved')} checked={resolved} onChange={setResolved} />
      )}
    </FormDialog>
  )
}

function MadeHook({ hook, secret, onClose }: { readonly hook: Hook; readonly secret: string; onClose(): void }) {
  const address = `${window.location.origin}${hook.path}`
  const example = `receivers:
  - name: reeve
    webhook_configs:
      - url: ${address}
        http_config:
          authorization:
            credentials: ${secret}`
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('routines.hook_made')}
      size="lg"
      actions={
        <Button variant="primary" onClick={onClose}>
          {t('routines.done')}
        </Button>
      }
    >
      <div className="space-y-4">
        <Notice tone="warn">{t('routines.hook_once')}</Notice>
        <p>{t('routines.hook_address')}</p>
        <CodeBlock code={address} language="url" wrap />
        <p>{t('routines.hook_secret')}</p>
        <CodeBlock code={secret} language={t('routines.hook_secret')} wrap />
        {hook.kind === 'alertmanager' && <CodeBlock code={example} language="yaml" wrap />}
      </div>
    </Dialog>
  )
}
