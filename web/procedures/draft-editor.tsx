import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type SubmitEvent, useState } from 'react'
import type { Draft, ProcedureVersion } from '../../contract/procedure-values.ts'
import { ApiError } from '../client/api-error.ts'
import { call } from '../client/api.ts'
import { toolsQuery } from '../client/queries.ts'
import { Button } from '../parts/controls/button.tsx'
import { TextArea } from '../parts/controls/text-area.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Section } from '../parts/layout/section.tsx'
import { UnsavedChanges } from '../parts/layout/unsaved-changes.tsx'
import { t } from '../text/i18n.ts'
import { ParamEditor } from './param-editor.tsx'
import { newParam, type ParamFields, renamedFrom, toFields, toParam } from './param-kinds.ts'
import { StepEditor } from './step-editor.tsx'
import { newStep, type StepFields, toStep, toStepFields, withRenamed } from './step-fields.ts'
import { useProcedureChange } from './use-procedure-change.ts'

interface DraftEditorProps {
  readonly procedureId: string
  readonly draft: ProcedureVersion
  readonly problems: readonly { readonly path: string; readonly message: string }[]
  onDone(): void
}

/** The form for a draft: what it is called, its parameters and its steps. */
export function DraftEditor({ procedureId, draft, problems, onDone }: DraftEditorProps) {
  const [name, setName] = useState(draft.name)
  const [description, setDescription] = useState(draft.description)
  const [params, setParams] = useState<readonly ParamFields[]>(() => draft.params.map(toFields))
  const [steps, setSteps] = useState<readonly StepFields[]>(() => draft.steps.map(toStepFields))
  const [dirty, setDirty] = useState(false)
  const tools = (useQuery(toolsQuery).data?.items ?? []).map(({ module, tool, title }) => ({
    value: `${module}.${tool}`,
    label: title,
  }))
  const save = useProcedureChange()
  const touched = <T,>(set: (value: T) => void) => {
    return (value: T): void => {
      set(value)
      setDirty(true)
    }
  }
  const found = save.error instanceof ApiError ? save.error.errors : dirty ? [] : problems
  const errorAt = (path: string): string | null =>
    found.find((one) => one.path === path || one.path.startsWith(`${path}.`))?.message ?? null
  /** What is said with the arguments is not said again with the step. */
  const stepError = (at: number): string | null =>
    errorAt(`steps.${at}.arguments`) === null ? errorAt(`steps.${at}`) : null
  const whole = toDraft({ name, description, params, steps })

  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (whole === null || save.isPending) return
    save.mutate({
      run: () =>
        call('PUT /api/procedures/{procedure_id}/draft', {
          params: { procedure_id: procedureId },
          body: { seen: draft.content_hash, draft: whole },
        }),
      done: t('procedures.saved'),
      after: () => {
        setDirty(false)
        // Once the page knows that nothing would be lost.
        setTimeout(onDone)
      },
    })
  }
  /** References in the steps follow a new name. */
  const changeParam = (at: number, next: ParamFields): void => {
    const others = params.toSpliced(at, 1)
    const from = renamedFrom(next, others)
    if (from !== null) setSteps(steps.map((step) => withRenamed(step, from, next.name)))
    touched(setParams)(params.with(at, from === null ? next : { ...next, referred: next.name }))
  }
  const move = (at: number, by: -1 | 1): void => {
    const moved = [...steps]
    const [step] = moved.splice(at, 1)
    moved.splice(at + by, 0, step!)
    touched(setSteps)(moved)
  }

  return (
    <form onSubmit={onSubmit} className="space-y-6">
      {save.isError && <ErrorNotice title={t('procedures.not_saved')} error={save.error} />}
      <div className="grid gap-4">
        <TextField
          label={t('procedures.name')}
          value={name}
          onChange={touched(setName)}
          error={errorAt('name')}
          maxLength={80}
          autoComplete="off"
        />
        <TextArea label={t('procedures.description')} value={description} onChange={touched(setDescription)} rows={2} />
      </div>
      <Section
        title={t('procedures.params')}
        actions={
          <Button size="sm" icon={Plus} onClick={() => touched(setParams)([...params, newParam()])}>
            {t('procedures.param_add')}
          </Button>
        }
      >
        <p className="text-muted mb-2 max-w-prose text-sm">{t('procedures.params_text')}</p>
        {params.length > 0 && (
          <Panel>
            <ul className="divide-line divide-y">
              {params.map((param, at) => (
                <ParamEditor
                  key={param.key}
                  param={param}
                  error={errorAt(`params.${at}`)}
                  onChange={(next) => changeParam(at, next)}
                  onRemove={() => touched(setParams)(params.toSpliced(at, 1))}
                />
              ))}
            </ul>
          </Panel>
        )}
      </Section>
      <Section
        title={t('procedures.steps')}
        actions={
          <Button size="sm" icon={Plus} onClick={() => touched(setSteps)([...steps, newStep()])}>
            {t('procedures.step_add')}
          </Button>
        }
      >
        <Panel>
          <ol className="divide-line divide-y">
            {steps.map((step, at) => (
              <StepEditor
                key={step.key}
                step={step}
                place={at + 1}
                last={at === steps.length - 1}
                tools={tools}
                params={params}
                error={stepError(at)}
                refused={(name) => errorAt(`steps.${at}.arguments${name === null ? '' : `.${name}`}`)}
                onParam={(param) => touched(setParams)([...params, param])}
                onChange={(next) => touched(setSteps)(steps.with(at, next))}
                onMove={(by) => move(at, by)}
                onRemove={() => touched(setSteps)(steps.toSpliced(at, 1))}
              />
            ))}
          </ol>
        </Panel>
      </Section>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onDone}>{t('action.cancel')}</Button>
        <Button type="submit" variant="primary" busy={save.isPending} disabled={whole === null}>
          {t('action.save')}
        </Button>
      </div>
      <UnsavedChanges dirty={dirty} />
    </form>
  )
}

/** Null while something of it cannot be sent. */
function toDraft({
  name,
  description,
  params,
  steps,
}: {
  readonly name: string
  readonly description: string
  readonly params: readonly ParamFields[]
  readonly steps: readonly StepFields[]
}): Draft | null {
  const read = steps.map(toStep)
  if (name.trim() === '' || read.length === 0 || read.includes(null)) return null
  if (params.some((param) => param.name === '' || param.title.trim() === '')) return null
  return {
    name: name.trim(),
    description: description.trim(),
    params: params.map(toParam),
    steps: read.map((step) => step!),
  }
}
