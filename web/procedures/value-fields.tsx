import type { Param } from '../../contract/procedure-values.ts'
import { SelectField } from '../parts/controls/select-field.tsx'
import { TextArea } from '../parts/controls/text-area.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { read, written } from './param-kinds.ts'
import { testWords } from './test-words.ts'

/** Values by the names of their parameters, as they are written in the fields. */
export type ValueTexts = Readonly<Record<string, string>>
type Machines = Readonly<Record<string, readonly string[]>>
type Choices = readonly { readonly value: string; readonly label: string }[]

interface ValueFieldsProps {
  readonly params: readonly Param[]
  /** That the reader may use, by the name of the parameter. */
  readonly machines: Machines
  readonly texts: ValueTexts
  /** What the service said of values, by the name of the parameter. */
  readonly errors?: ReadonlyMap<string, string>
  onChange(texts: ValueTexts): void
}

/** A field for each parameter. */
export function ValueFields({ params, machines, texts, errors, onChange }: ValueFieldsProps) {
  return params.map((param) => {
    const { name, title, test } = param
    const value = texts[name] ?? ''
    const field = {
      label: title,
      value,
      error: errors?.get(name) ?? null,
      onChange: (next: string) => onChange({ ...texts, [name]: next }),
    }
    const choices = choicesOf(param, machines)
    if (choices !== null) {
      // A value that is none of them any more is shown as it is, not as another one.
      const options = choices.some((one) => one.value === value) ? choices : [{ value, label: value }, ...choices]
      return <SelectField key={name} {...field} options={options} />
    }
    const hint = testWords(test)
    return 'each' in test ? (
      <TextArea key={name} {...field} hint={hint} required spellCheck={false} />
    ) : (
      <TextField key={name} {...field} hint={hint} required autoComplete="off" spellCheck={false} />
    )
  })
}

/** What the fields begin with: what is given, then what the procedure suggests. */
export function textsOf(
  params: readonly Param[],
  machines: Machines,
  given: Readonly<Record<string, unknown>> = {},
): ValueTexts {
  return Object.fromEntries(
    params.map((param) => {
      const { name, preset, test } = param
      if (Object.hasOwn(given, name)) return [name, textOf(test, given[name])]
      const text = textOf(test, preset)
      const choices = choicesOf(param, machines)
      if (choices === null || choices.some(({ value }) => value === text)) return [name, text]
      return [name, choices[0]?.value ?? '']
    }),
  )
}

export function valuesOf(params: readonly Param[], texts: ValueTexts): Record<string, unknown> {
  return Object.fromEntries(params.map(({ name, test }) => [name, valueOf(test, texts[name] ?? '')]))
}

function choicesOf({ name, test }: Param, machines: Machines): Choices | null {
  if ('hosts' in test) return (machines[name] ?? []).map((value) => ({ value, label: value }))
  if ('in' in test) return test.in.map((value) => ({ value: written(value), label: String(value) }))
  return 'is' in test ? [{ value: written(test.is), label: String(test.is) }] : null
}

/** What `valueOf` reads as this value. */
function textOf(test: Param['test'], value: unknown): string {
  if ('each' in test && Array.isArray(value)) return value.map((one) => textOf(test.each, one)).join('\n')
  return isText(test) && typeof value === 'string' ? value : written(value)
}

/** What the text means: of machines and words the text itself, else a value of the kind that is asked for. */
function valueOf(test: Param['test'], text: string): unknown {
  if (isText(test)) return text
  if ('in' in test || 'is' in test) return read(text)
  if ('each' in test)
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => valueOf(test.each, line))
  return text.trim() === '' ? text : Number(text)
}

function isText(test: Param['test']): boolean {
  return 'hosts' in test || 'any' in test || 'under' in test || 'host' in test
}
