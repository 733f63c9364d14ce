import { type ReactNode, useMemo } from 'react'
import { HOST_ARGUMENT, MACHINE_MODULE } from '../../contract/host-values.ts'
import { PROCEDURE_LIMITS } from '../../contract/procedure-limits.ts'
import { argumentFields, type ArgumentField } from '../arguments/argument-fields.ts'
import { type ArgumentsDraft, putBack, withInstead, withValue } from '../arguments/arguments-draft.ts'
import { ArgumentsEditor } from '../arguments/arguments-editor.tsx'
import { useToolFields } from '../arguments/use-tool-fields.ts'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { t } from '../text/i18n.ts'
import { paramFor, suits } from './param-for-field.ts'
import { type ParamFields, toParam } from './param-kinds.ts'
import { paramOf } from '../../contract/parameter-reference.ts'
import { referenceTo } from './references.ts'
import { isStepList, StepList } from './step-list.tsx'
import { ValueSource } from './value-source.tsx'

interface StepArgumentsProps {
  /** `<module>.<tool>`. */
  readonly tool: string
  readonly given: ArgumentsDraft
  readonly params: readonly ParamFields[]
  /** What the server has said about an argument; null: about any of them. */
  refused(name: string | null): string | null
  onChange(given: ArgumentsDraft): void
  /** A parameter that the arguments refer to from now on. */
  onParam(param: ParamFields): void
}

/** What a step gives its tool: each argument is a value or a parameter of the procedure. */
export function StepArguments({ tool, given, params, refused, onChange, onParam }: StepArgumentsProps) {
  const known = useToolFields(tool)
  const fields = useMemo(() => known && withMachine(tool, known), [tool, known])
  if (fields === undefined) return <SkeletonRows rows={2} className="h-9" />
  if (tool === '' && Object.keys(given.args).length === 0 && given.json === null) return null

  const full = params.length >= PROCEDURE_LIMITS.params
  const around = (field: ArgumentField, control: ReactNode): ReactNode => {
    const value = Object.hasOwn(given.args, field.name) ? given.args[field.name] : undefined
    const param = paramOf(value)
    const wrong = given.typed[field.name]?.wrong === true
    const items = !wrong && isStepList(field, value)
    const source = (
      <ValueSource
        title={field.title}
        param={param}
        params={params.filter((one) => one.name === param || suits(field, toParam(one)))}
        // Of a list that is edited item by item, each item has its own.
        fresh={param !== null || wrong || full || items ? null : paramFor(tool, field, value, params)}
        onParam={(name) =>
          onChange(name === null ? putBack(given, field) : withInstead(given, field, referenceTo(name)))
        }
        onFresh={(fresh) => {
          onChange(withInstead(given, field, referenceTo(fresh.name)))
          onParam(fresh)
        }}
      />
    )
    if (param !== null)
      return (
        <div role="group" aria-label={field.title} className={wideFor(field)}>
          <p aria-hidden className="mb-1.5 font-medium">
            {field.required ? t('tool_form.required_label', { name: field.title }) : field.title}
          </p>
          {source}
          {field.description !== '' && <p className="text-muted mt-1.5 text-sm">{field.description}</p>}
        </div>
      )
    return (
      <div className={`space-y-1.5 ${wideFor(field)}`}>
        {items ? (
          <StepList
            tool={tool}
            field={field}
            items={(value as readonly unknown[] | undefined) ?? []}
            params={params}
            full={full}
            onChange={(items) => onChange(withValue(given, field, items.length === 0 ? undefined : items))}
            onFresh={onParam}
          />
        ) : (
          control
        )}
        {source}
      </div>
    )
  }
  return (
    <ArgumentsEditor
      tool={tool}
      fields={fields}
      label={t('chat.tool_arguments')}
      note={fields === null && tool !== '' ? t('arguments.not_there') : undefined}
      jsonHint={params.length === 0 ? undefined : <References params={params} />}
      draft={given}
      refused={refused}
      around={around}
      onChange={onChange}
    />
  )
}

/** A step of a machine's tool names the machine, even while there is one alone and the tool does not ask for it. */
function withMachine(tool: string, fields: readonly ArgumentField[]): readonly ArgumentField[] {
  if (!tool.startsWith(`${MACHINE_MODULE}.`)) return fields
  const plain = argumentFields({ properties: { [HOST_ARGUMENT]: { type: 'string' } } })
  const [host] = [...fields, ...plain].filter(({ name }) => name === HOST_ARGUMENT)
  return [
    { ...host!, title: t('procedures.kind_machine'), required: true },
    ...fields.filter(({ name }) => name !== HOST_ARGUMENT),
  ]
}

function wideFor({ kind, required }: ArgumentField): string {
  return required || kind === 'list' || kind === 'json' ? 'min-w-0 sm:col-span-2' : 'min-w-0'
}

function References({ params }: { readonly params: readonly ParamFields[] }) {
  return (
    <>
      {t('procedures.step_params')}{' '}
      {params
        .filter(({ name }) => name !== '')
        .map(({ name }) => (
          <code key={name} className="me-2 break-all">
            {JSON.stringify(referenceTo(name))}
          </code>
        ))}
    </>
  )
}
