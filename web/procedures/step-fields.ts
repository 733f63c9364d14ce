import { PARAM_KEY } from '../../contract/parameter-reference.ts'
import type { DraftStep } from '../../contract/procedure-values.ts'

export interface StepFields {
  readonly key: number
  /** `<module>.<tool>`. */
  readonly tool: string
  readonly note: string
  /** As JSON. */
  readonly given: string
  readonly confirm: boolean
}

let made = 0

export function newStep(): StepFields {
  made += 1
  return { key: made, tool: '', note: '', given: '{}', confirm: false }
}

export function toStepFields({ module, tool, note, arguments: given, confirm }: DraftStep): StepFields {
  made += 1
  return { key: made, tool: `${module}.${tool}`, note, given: JSON.stringify(given, null, 2), confirm }
}

/** Null where the arguments are not a JSON object. */
export function toStep({ tool, note, given, confirm }: StepFields): DraftStep | null {
  const [module = '', ...rest] = tool.trim().split('.')
  try {
    const value: unknown = JSON.parse(given)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    return { module, tool: rest.join('.'), note: note.trim(), arguments: { ...value }, confirm }
  } catch {
    return null
  }
}

/** How a parameter is written in arguments. */
export function referenceTo(name: string): string {
  return JSON.stringify({ [PARAM_KEY]: name })
}
