import type { ArgumentField } from './argument-fields.ts'
import { argumentProblem } from './argument-problem.ts'
import { jsonOf, textOf, valueOf } from './argument-values.ts'

export type Arguments = Readonly<Record<string, unknown>>

/** What stands in a field. */
interface Written {
  readonly text: string
  /** As JSON, although the field is of another kind: it could not hold the value. */
  readonly json: boolean
}

/** Arguments while they are edited: in fields, or all of them as one JSON text. Both say the same. */
export interface ArgumentsDraft {
  /** What is given, but for fields whose text is no value yet. */
  readonly args: Arguments
  /** Fields as they were typed. */
  readonly typed: Readonly<Record<string, Written & { readonly wrong: boolean }>>
  /** What stood in a field before something else was put in its place. */
  readonly aside: Readonly<Record<string, Written>>
  /** Null: in fields. */
  readonly json: string | null
}

export function newArgumentsDraft(args: Arguments): ArgumentsDraft {
  return { args, typed: {}, aside: {}, json: null }
}

/** The arguments as they are sent; null while something that was typed is none. */
export function argumentsOf({ args, typed, json }: ArgumentsDraft): Arguments | null {
  if (json !== null) return objectIn(json)
  return Object.values(typed).some(({ wrong }) => wrong) ? null : args
}

/** What a field shows, and as what it is edited. */
export function fieldIn(
  { args, typed }: ArgumentsDraft,
  field: ArgumentField,
): { readonly field: ArgumentField; readonly text: string } {
  const { name } = field
  const written = own(typed, name)
  const given = own(args, name)
  const kept = written?.text ?? (given === undefined ? '' : field.untyped ? null : textOf(field, given))
  const json = field.untyped || (written?.json ?? kept === null)
  return { field: json ? { ...field, kind: 'json' } : field, text: kept ?? jsonOf(given) }
}

/** The arguments that the form has no field for, each as JSON: they stay until somebody takes them away. */
export function strayFields({ args, typed }: ArgumentsDraft, fields: readonly ArgumentField[]): ArgumentField[] {
  const known = new Set(fields.map(({ name }) => name))
  return [...new Set([...Object.keys(args), ...Object.keys(typed)])]
    .filter((name) => !known.has(name))
    .map((name) => ({ ...STRAY, name, title: name }))
}

const STRAY: Omit<ArgumentField, 'name' | 'title'> = {
  kind: 'json',
  required: false,
  description: '',
  choices: [],
  values: [],
  choiceNames: [],
  fallback: null,
  numbers: false,
  untyped: true,
  schema: {},
}

/** With the text of a field as it is typed; without any, the argument is not given. */
export function withText(draft: ArgumentsDraft, field: ArgumentField, text: string): ArgumentsDraft {
  const shown = fieldIn(draft, field).field
  const wrong = argumentProblem({ ...shown, required: false }, text) !== null
  const written = { text, json: shown.kind !== field.kind, wrong }
  const value = wrong ? undefined : valueOf(shown, text)
  return {
    ...draft,
    args: value === undefined ? without(draft.args, field.name) : { ...draft.args, [field.name]: value },
    typed: { ...draft.typed, [field.name]: written },
  }
}

/** With this value, whatever stood in the field; undefined: the argument is not given. */
export function withValue(draft: ArgumentsDraft, { name }: ArgumentField, value: unknown): ArgumentsDraft {
  const args = value === undefined ? without(draft.args, name) : { ...draft.args, [name]: value }
  return { ...draft, args, typed: without(draft.typed, name) }
}

/** With this in place of what the field holds, which is kept for `putBack`. */
export function withInstead(draft: ArgumentsDraft, field: ArgumentField, value: unknown): ArgumentsDraft {
  const { name, kind } = field
  const shown = fieldIn(draft, field)
  const aside = { text: shown.text, json: shown.field.kind !== kind }
  return { ...withValue(draft, field, value), aside: { ...draft.aside, [name]: aside } }
}

/** With what stood in the field before. */
export function putBack(draft: ArgumentsDraft, field: ArgumentField): ArgumentsDraft {
  const { text, json } = own(draft.aside, field.name) ?? { text: '', json: false }
  const empty = { ...draft, args: without(draft.args, field.name), aside: without(draft.aside, field.name) }
  return withText({ ...empty, typed: { ...draft.typed, [field.name]: { text: '', json, wrong: false } } }, field, text)
}

/** The same as one JSON text; what is no value yet stands in it as a text, so that nothing is lost. */
export function asJson({ args, typed, ...rest }: ArgumentsDraft): ArgumentsDraft {
  const wrong = Object.entries(typed).flatMap(([name, written]) => (written.wrong ? [[name, written.text]] : []))
  return { ...rest, args, typed, json: jsonOf({ ...args, ...(Object.fromEntries(wrong) as Arguments) }) }
}

/** The same in fields; null while the text is no JSON object. */
export function inFields(draft: ArgumentsDraft): ArgumentsDraft | null {
  const args = draft.json === null ? draft.args : objectIn(draft.json)
  if (args === null) return null
  return draft.json === null ? draft : { ...newArgumentsDraft(args), aside: draft.aside }
}

function objectIn(text: string): Arguments | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Arguments) : null
  } catch {
    return null
  }
}

/** An argument may be called like something that every object has. */
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

function without<T>(record: Readonly<Record<string, T>>, name: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name))
}
