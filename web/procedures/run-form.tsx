import { useNavigate } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { type SubmitEvent, useId, useState } from 'react'
import type { Param, ProcedureDetail, ProcedureVersion } from '../../contract/procedure-values.ts'
import { newIdempotencyKey } from '../chat/composer/idempotency-key.ts'
import { call } from '../client/api.ts'
import { Button } from '../parts/controls/button.tsx'
import { SelectField } from '../parts/controls/select-field.tsx'
import { TextArea } from '../parts/controls/text-area.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Dialog } from '../parts/layout/dialog.tsx'
import { t } from '../text/i18n.ts'
import { read, written } from './param-kinds.ts'
import { testWords } from './test-words.ts'
import { useProcedureChange } from './use-procedure-change.ts'

interface RunFormProps {
  readonly detail: ProcedureDetail
  readonly version: ProcedureVersion
  onClose(): void
}

type Choices = readonly { readonly value: string; readonly label: string }[]

/** Asks for the values of a run, and begins it in a conversation of its own. */
export function RunForm({ detail, version, onClose }: RunFormProps) {
  const { procedure, machines } = detail
  const choices = (param: Param): Choices | null => choicesOf(param, machines[param.name] ?? [])
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(version.params.map((param) => [param.name, beginning(param, choices(param))])),
  )
  // Other values are another request.
  const [key, setKey] = useState(newIdempotencyKey)
  const formId = useId()
  const navigate = useNavigate()
  const run = useProcedureChange<{ conversation_id: string }>()
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (run.isPending) return
    const values = Object.fromEntries(
      version.params.map((param) => [param.name, valueOf(param, texts[param.name] ?? '')]),
    )
    run.mutate({
      run: () =>
        call('POST /api/procedures/{procedure_id}/runs', {
          params: { procedure_id: procedure.procedure_id },
          body: { version: version.version, values },
          headers: { 'idempotency-key': key },
        }),
      after: ({ conversation_id }) => void navigate({ to: '/chat', search: { c: conversation_id } }),
    })
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('procedures.run_title', { name: procedure.name })}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" icon={Play} busy={run.isPending}>
            {t('procedures.run')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={onSubmit} className="space-y-4">
        {run.isError && <ErrorNotice title={t('procedures.not_started')} error={run.error} />}
        {version.params.length === 0 && <p>{t('procedures.run_plain', { count: version.steps.length })}</p>}
        {version.params.map((param) => {
          const all = choices(param)
          const field = {
            label: param.title,
            value: texts[param.name] ?? '',
            onChange: (value: string) => {
              setTexts({ ...texts, [param.name]: value })
              setKey(newIdempotencyKey())
            },
          }
          if (all !== null) return <SelectField key={param.name} {...field} options={all} />
          const hint = testWords(param.test)
          return 'each' in param.test ? (
            <TextArea key={param.name} {...field} hint={hint} required spellCheck={false} />
          ) : (
            <TextField key={param.name} {...field} hint={hint} required autoComplete="off" spellCheck={false} />
          )
        })}
      </form>
    </Dialog>
  )
}

function choicesOf({ test }: Param, machines: readonly string[]): Choices | null {
  if ('hosts' in test) return machines.map((value) => ({ value, label: value }))
  if ('in' in test) return test.in.map((value) => ({ value: written(value), label: String(value) }))
  return 'is' in test ? [{ value: written(test.is), label: String(test.is) }] : null
}

function beginning({ preset, test }: Param, choices: Choices | null): string {
  // A list has one value a line.
  const text = 'each' in test && Array.isArray(preset) ? preset.map(written).join('\n') : written(preset)
  if (choices === null) return text
  return choices.some(({ value }) => value === text) ? text : (choices[0]?.value ?? '')
}

/** What the text means: of machines and words the text itself, else a value of the kind that is asked for. */
function valueOf({ test }: Param, text: string): unknown {
  if ('hosts' in test || 'any' in test || 'under' in test || 'host' in test) return text
  if ('in' in test || 'is' in test) return read(text)
  if ('each' in test)
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => valueOf({ name: '', title: '', test: test.each }, line))
  return text.trim() === '' ? text : Number(text)
}
