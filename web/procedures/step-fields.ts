import type { DraftStep } from '../../contract/procedure-values.ts'
import { argumentsOf, type ArgumentsDraft, newArgumentsDraft } from '../arguments/arguments-draft.ts'
import { jsonOf } from '../arguments/argument-values.ts'
import { renamed } from './references.ts'

export interface StepFields {
  readonly key: number
  /** `<module>.<tool>`. */
  readonly tool: string
  readonly note: string
  readonly given: ArgumentsDraft
  readonly confirm: boolean
}

let made = 0

export function newStep(): StepFields {
  made += 1
  return { key: made, tool: '', note: '', given: newArgumentsDraft({}), confirm: false }
}

export function toStepFields({ module, tool, note, arguments: given, confirm }: DraftStep): StepFields {
  made += 1
  return { key: made, tool: `${module}.${tool}`, note, given: newArgumentsDraft(given), confirm }
}

/** Null where something that was typed is no value. */
export function toStep({ tool, note, given, confirm }: StepFields): DraftStep | null {
  const [module = '', ...rest] = tool.trim().split('.')
  const args = argumentsOf(given)
  return args === null ? null : { module, tool: rest.join('.'), note: note.trim(), arguments: { ...args }, confirm }
}

/** The step with another name for a parameter. */
export function withRenamed(step: StepFields, from: string, to: string): StepFields {
  const { given } = step
  const whole = given.json === null ? null : argumentsOf(given)
  const json = whole === null ? whole : renamed(whole, from, to)
  const changed = Object.entries(given.args).filter(([, value]) => renamed(value, from, to) !== value)
  if (json === whole && changed.length === 0) return step
  const names = new Set(changed.map(([name]) => name))
  return {
    ...step,
    given: {
      ...given,
      args: renamed(given.args, from, to) as ArgumentsDraft['args'],
      // Written anew from the value.
      typed: Object.fromEntries(Object.entries(given.typed).filter(([name]) => !names.has(name))),
      json: json === whole ? given.json : jsonOf(json),
    },
  }
}
