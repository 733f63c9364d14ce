import { useState } from 'react'
import { addressTemplate } from '../../../../contract/address-template.ts'
import type { ResourceEntry } from '../../../../contract/resources.ts'
import { TextField } from '../../../parts/controls/text-field.tsx'
import { ErrorNotice } from '../../../parts/feedback/error-notice.tsx'
import { FormDialog } from '../../../parts/layout/form-dialog.tsx'
import { t } from '../../../text/i18n.ts'
import { Suggestions } from './suggestions.tsx'

interface ResourceFormProps {
  readonly entry: ResourceEntry
  readonly module: string
  /** A rule asks: submitting is the consent. */
  readonly asks: boolean
  readonly busy: boolean
  readonly error: unknown
  onSubmit(values: Record<string, string>): void
  onBack(): void
}

/** The values of a family of resources, or the consent to read one. */
export function ResourceForm({ entry, module, asks, busy, error, onSubmit, onBack }: ResourceFormProps) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [checked, setChecked] = useState(false)
  const [focused, setFocused] = useState(entry.arguments[0])
  const valueOf = (name: string): string => values[name] ?? ''
  const missing = entry.arguments.filter((name) => valueOf(name).trim() === '')
  const submit = (): void => {
    if (missing.length > 0) setChecked(true)
    else if (!busy) onSubmit(values)
  }
  return (
    <FormDialog
      title={entry.title}
      description={entry.description === '' ? undefined : entry.description}
      submit={t('resources.read')}
      busy={busy}
      onSubmit={submit}
      cancel={t('action.back')}
      onClose={onBack}
    >
      {error !== null && <ErrorNotice title={t('resources.not_read')} error={error} />}
      {asks && <p className="text-warn">{t('resources.asks', { module })}</p>}
      <p className="border-line bg-sunken rounded-md border px-3 py-2 font-mono text-sm break-all">
        {addressOf(entry, missing.length === 0 ? values : null)}
      </p>
      {entry.arguments.map((name, index) => (
        <div key={name} onFocus={() => setFocused(name)}>
          <TextField
            label={name}
            value={valueOf(name)}
            maxLength={1000}
            autoComplete="off"
            spellCheck={false}
            autoFocus={index === 0}
            error={checked && missing.includes(name) ? t('commands.nothing_written') : null}
            onChange={(value) => setValues({ ...values, [name]: value })}
          />
          <Suggestions
            completed={{
              module: entry.module,
              of: { template: entry.template! },
              argument: name,
              value: valueOf(name),
              given: otherValues(values, name),
            }}
            module={module}
            wanted={focused === name}
            onChoose={(value) => setValues({ ...values, [name]: value })}
          />
        </div>
      ))}
    </FormDialog>
  )
}

/** The address that will be read, once everything is filled in. */
function addressOf({ uri, template }: ResourceEntry, values: Readonly<Record<string, string>> | null): string {
  if (uri !== null) return uri
  return (values === null ? undefined : addressTemplate(template!)?.expand(values)) ?? template!
}

/** The arguments that are filled in besides one. */
export function otherValues(values: Readonly<Record<string, string>>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([other, value]) => other !== name && value.trim() !== ''))
}
