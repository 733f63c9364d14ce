import type { CallRepair } from '../../../contract/messages.ts'
import { isTooDeep, JSON_DEPTH, namesPrototype } from '../../kernel/text/json-depth.ts'
import { jsonValue } from '../../kernel/text/json-value.ts'

/** The arguments of a call: an object, or the text that is none. */
export interface CallInput {
  readonly input: Record<string, unknown> | null
  readonly malformed: string | null
  readonly repaired: readonly CallRepair[]
}

/** Reads the text of a call's arguments. What can only mean one thing is repaired; everything else is for the model to mend. */
export function callInput(text: string): CallInput {
  // A tool without parameters may be called with nothing at all.
  if (text.trim() === '') return { input: {}, malformed: null, repaired: [] }
  const value = jsonValue(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return checked(value, text, [])
  const mended = mend(text, value)
  return mended === null ? unreadable(value, text) : checked(mended, text, ['json'])
}

function checked(value: object, text: string, repaired: readonly CallRepair[]): CallInput {
  // Copying or hashing it would overflow the stack.
  if (isTooDeep(value)) return { input: null, malformed: `(nested more than ${JSON_DEPTH} levels deep)`, repaired: [] }
  if (namesPrototype(value)) return { input: null, malformed: text, repaired: [] }
  return { input: value as Record<string, unknown>, malformed: null, repaired }
}

/** Unparsed text is the raw arguments; anything else was JSON but not an object. */
function unreadable(value: unknown, text: string): CallInput {
  if (value === undefined) return { input: null, malformed: text, repaired: [] }
  if (isTooDeep(value)) return { input: null, malformed: `(nested more than ${JSON_DEPTH} levels deep)`, repaired: [] }
  return { input: null, malformed: typeof value === 'string' ? value : JSON.stringify(value), repaired: [] }
}

/** Arguments longer than this are not mended: nobody waits for that, and no call may be so large. */
const MENDED_CHARACTERS = 256 * 1024

/** Encoded twice, fenced as code, or with a comma too many. Never what was cut off: half a command must not run. */
function mend(text: string, value: unknown): object | null {
  const inner = typeof value === 'string' ? value : value === undefined ? text : null
  if (inner === null || inner.length > MENDED_CHARACTERS) return null
  const bare = /^\s*```(?:json)?[ \t]*\r?\n([\s\S]*?)\n?```\s*$/.exec(inner)?.[1] ?? inner
  // A string that is not closed reaches to the end: looked for anew from each of its quotes it would take minutes.
  const mended = jsonValue(
    bare.replace(/("(?:[^"\\]|\\[\s\S]?)*(?:"|$))|,(?=\s*[}\]])/g, (_, string?: string) => string ?? ''),
  )
  return typeof mended === 'object' && mended !== null && !Array.isArray(mended) ? mended : null
}
