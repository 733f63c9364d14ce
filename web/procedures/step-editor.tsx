import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react'
import { CheckField } from '../parts/controls/check-field.tsx'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { SuggestField } from '../parts/controls/suggest-field.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { t } from '../text/i18n.ts'
import type { ParamFields } from './param-kinds.ts'
import { StepArguments } from './step-arguments.tsx'
import type { StepFields } from './step-fields.ts'

interface StepEditorProps {
  readonly step: StepFields
  /** From 1. */
  readonly place: number
  readonly last: boolean
  readonly tools: readonly { readonly value: string; readonly label: string }[]
  readonly params: readonly ParamFields[]
  readonly error: string | null
  /** What the server has said about an argument; null: about any of them. */
  refused(name: string | null): string | null
  onChange(step: StepFields): void
  /** A parameter that the step refers to from now on. */
  onParam(param: ParamFields): void
  onMove(by: -1 | 1): void
  onRemove(): void
}

/** One step of a draft: the tool, what it is given, and whether somebody confirms it each time. */
export function StepEditor({
  step,
  place,
  last,
  tools,
  params,
  error,
  refused,
  onChange,
  onParam,
  onMove,
  onRemove,
}: StepEditorProps) {
  const change = (patch: Partial<StepFields>): void => onChange({ ...step, ...patch })
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
      <StepArguments
        tool={step.tool.trim()}
        given={step.given}
        params={params}
        refused={refused}
        onChange={(given) => change({ given })}
        onParam={onParam}
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
