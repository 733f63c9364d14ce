import { Expand, X } from 'lucide-react'
import { useId } from 'react'
import { Button } from '../../parts/controls/button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { t } from '../../text/i18n.ts'
import { CommandWords } from './command-words.tsx'
import type { ConditionDraft, TestKind } from './condition-draft.ts'
import { kindsFor, withKind } from './condition-kinds.ts'
import { ConditionValue } from './condition-value.tsx'
import { looseningsOf } from './loosen.ts'
import { nameOf, type ToolArgument } from './tool-arguments.ts'

interface ConditionFieldsProps {
  readonly draft: ConditionDraft
  /** Unknown to the tool's schema, where it is missing. */
  readonly argument: ToolArgument | undefined
  /** Conditions about folders can be saved here. */
  readonly folders: boolean
  readonly error: string | null
  onChange(next: ConditionDraft): void
  onRemove(): void
  /** Lets the argument be anything instead; null where that says nothing. */
  readonly onFree: (() => void) | null
}

/** One condition: which argument, what it may be, and how an exact value can be made wider. */
export function ConditionFields(props: ConditionFieldsProps) {
  const { draft, argument, folders, error, onChange, onRemove, onFree } = props
  const errorId = useId()
  const command = draft.kind === 'argv'
  const name = command ? t('condition.command') : nameOf(draft.at)
  const wider = looseningsOf(draft, folders)
  return (
    <div
      role="group"
      aria-label={name}
      aria-describedby={error === null ? undefined : errorId}
      className="border-line relative space-y-2 px-3 py-3"
    >
      <div className="grid items-start gap-x-3 gap-y-2 pe-9 sm:grid-cols-[minmax(7rem,11rem)_minmax(9rem,12rem)_1fr]">
        <p className="min-w-0 font-medium break-words sm:pt-2">
          {command ? name : <code className="text-sm break-all">{name}</code>}
        </p>
        {command ? (
          <div className="sm:col-span-2">
            <CommandWords words={draft.words} folders={folders} onChange={(words) => onChange({ ...draft, words })} />
          </div>
        ) : (
          <>
            <SelectField
              label={t('condition.kind_of', { name })}
              hideLabel
              value={draft.kind}
              onChange={(kind) => onChange(withKind(draft, kind as TestKind, argument))}
              options={kindsFor(draft, argument, folders)}
            />
            <ConditionValue draft={draft} argument={argument} name={name} onChange={onChange} />
          </>
        )}
      </div>
      {(wider.length > 0 || onFree !== null) && !command && (
        <p className="flex flex-wrap gap-1.5">
          {wider.map(({ to, shown, draft: next }) => (
            <Button key={to} size="sm" icon={Expand} onClick={() => onChange(next)} className="max-w-full">
              <span className="truncate">{t(`condition.widen_${to}`, { value: shown })}</span>
            </Button>
          ))}
          {onFree !== null && (
            <Button size="sm" variant="ghost" onClick={onFree}>
              {t('condition.widen_free')}
            </Button>
          )}
        </p>
      )}
      <div id={errorId} role="alert">
        {error !== null && <p className="text-danger text-sm break-words">{error}</p>}
      </div>
      <span className="absolute end-2 top-2.5">
        <IconButton label={t('condition.remove', { name })} icon={X} size="sm" onClick={onRemove} />
      </span>
    </div>
  )
}
