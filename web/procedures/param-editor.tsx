import { Trash2 } from 'lucide-react'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { SelectField } from '../parts/controls/select-field.tsx'
import { TextArea } from '../parts/controls/text-area.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { t } from '../text/i18n.ts'
import { PARAM_KINDS, type ParamFields, type ParamKind } from './param-kinds.ts'
import { testWords } from './test-words.ts'

interface ParamEditorProps {
  readonly param: ParamFields
  readonly error: string | null
  onChange(param: ParamFields): void
  onRemove(): void
}

/** One parameter of a draft: its name, what it is called, and what its value must be. */
export function ParamEditor({ param, error, onChange, onRemove }: ParamEditorProps) {
  const { name, title, kind, list, min, max, preset } = param
  const change = (patch: Partial<ParamFields>): void => onChange({ ...param, ...patch })
  const kinds = PARAM_KINDS.filter((one) => one !== 'other' || kind === 'other')
  return (
    <li className="space-y-3 p-4">
      <div className="grid grid-cols-[1fr_auto] items-start gap-3 sm:grid-cols-[1fr_1fr_1fr_auto]">
        <TextField
          label={t('procedures.param_title')}
          value={title}
          onChange={(value) => change({ title: value })}
          autoComplete="off"
        />
        <TextField
          label={t('procedures.param_name')}
          value={name}
          onChange={(value) => change({ name: value })}
          autoComplete="off"
          spellCheck={false}
          className="max-sm:col-span-2"
        />
        <SelectField
          label={t('procedures.param_kind')}
          value={kind}
          onChange={(value) => change({ kind: value as ParamKind })}
          options={kinds.map((value) => ({ value, label: t(`procedures.kind_${value}`) }))}
          className="max-sm:col-span-2"
        />
        <IconButton
          label={t('procedures.param_remove', { name: title === '' ? name : title })}
          icon={Trash2}
          onClick={onRemove}
          // Beside the first field, however many stand in a row.
          className="mt-7 max-sm:col-start-2 max-sm:row-start-1"
        />
      </div>
      {kind === 'number' && (
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            label={t('procedures.param_min')}
            value={min}
            onChange={(value) => change({ min: value })}
            inputMode="numeric"
          />
          <TextField
            label={t('procedures.param_max')}
            value={max}
            onChange={(value) => change({ max: value })}
            inputMode="numeric"
          />
        </div>
      )}
      {(kind === 'machine' || kind === 'choice' || kind === 'folder' || kind === 'address') && (
        <TextArea
          label={t(`procedures.list_${kind}`)}
          value={list}
          onChange={(value) => change({ list: value })}
          rows={3}
          spellCheck={false}
        />
      )}
      {kind === 'other' && <p className="text-muted text-sm">{testWords(param.test)}</p>}
      <TextField
        label={t('procedures.param_preset')}
        value={preset}
        onChange={(value) => change({ preset: value })}
        autoComplete="off"
        spellCheck={false}
      />
      {error !== null && (
        <p role="alert" className="text-danger text-sm">
          {error}
        </p>
      )}
    </li>
  )
}
