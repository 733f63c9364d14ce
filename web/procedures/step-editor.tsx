import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react'
import { CheckField } from '../parts/controls/check-field.tsx'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { SuggestField } from '../parts/controls/suggest-field.tsx'
import { TextArea } from '../parts/controls/text-area.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { t } from '../text/i18n.ts'
import { referenceTo, type StepFields, toStep } from './step-fields.ts'

interface StepEditorProps {
  readonly step: StepFields
  /** From 1. */
  readonly place: number
  readonly last: boolean
  readonly tools: readonly { readonly value: string; readonly label: string }[]
  readonly params: readonly string[]
  readonly error: string | null
  onChange(step: StepFields): void
  onMove(by: -1 | 1): void
  onRemove(): void
}

/** One step of a draft: the tool, what it is given, and whether somebody confirms it each time. */
export function StepEditor({ step, place, last, tools, params, error, onChange, onMove, onRemove }: StepEditorProps) {
  const change = (patch: Partial<StepFields>): void => onChange({ ...step, ...patch })
  const isJson = toStep(step) !== null
  return (
    <li className="space-y-3 p-4">
      <div className="flex items-center gap-1">
        <h3 className="flex-1 font-medium">{t('procedures.step', { place })}</h3>
        <IconButton
          label={t('procedures.step_up', { place })}
          icon={ArrowUp}
          size="sm"
          disabled={place === 1}
          onClick={() => onMove(-1)}
        />
        <IconButton
          label={t('procedures.step_down', { place })}
          icon={ArrowDown}
          size="sm"
          disabled={last}
          onClick={() => onMove(1)}
        />
        <IconButton label={t('procedures.step_remove', { place })} icon={Trash2} size="sm" onClick={onRemove} />
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <SuggestField
          label={t('procedures.step_tool')}
          value={step.tool}
          options={tools}
          error={null}
          onChange={(tool) => change({ tool })}
        />
        <TextField
          label={t('procedures.step_note')}
          value={step.note}
          onChange={(note) => change({ note })}
          autoComplete="off"
        />
      </div>
      <TextArea
        label={t('procedures.step_arguments')}
        value={step.given}
        onChange={(given) => change({ given })}
        error={isJson ? null : t('procedures.not_json')}
        rows={Math.min(12, step.given.split('\n').length + 1)}
        spellCheck={false}
        className="[&_textarea]:font-mono [&_textarea]:text-sm"
        hint={
          params.length === 0 ? undefined : (
            <>
              {t('procedures.step_params')}{' '}
              {params.map((name) => (
                <code key={name} className="me-2 break-all">
                  {referenceTo(name)}
                </code>
              ))}
            </>
          )
        }
      />
      <CheckField
        label={t('procedures.step_confirm')}
        checked={step.confirm}
        onChange={(confirm) => change({ confirm })}
      />
      {error !== null && (
        <p role="alert" className="text-danger text-sm">
          {error}
        </p>
      )}
    </li>
  )
}
