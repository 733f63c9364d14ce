import { say, type Sentence } from '../../kernel/sentence.ts'
import { AS_WRITTEN, type Wording } from '../../kernel/wording.ts'
import { cut, visible } from '../../kernel/text/plain-text.ts'

const SUMMARY_LIMIT = 500

/**
 * One sentence about a call for its approval card. `template` is the tool's own: `{arg}` is the argument's value, a
 * part in `[…]` is left out when an argument in it is missing or false, `{?arg}` only asks whether it is there. What
 * the call leaves out is shown with its default.
 */
export function summarizeCall(
  tool: { template: string | null; title: string; schema: Record<string, unknown> },
  input: Record<string, unknown>,
  wording: Wording = AS_WRITTEN,
): string {
  const { template, title, schema } = tool
  const text =
    template === null
      ? plain(wording.text(title), input).in(wording.language)
      : fill(wording.text(template), { ...defaultsOf(schema), ...input })
  const shown = visible(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t').trim()
  return shown.length <= SUMMARY_LIMIT ? shown : `${cut(shown, SUMMARY_LIMIT - 1)}…`
}

function fill(template: string, input: Record<string, unknown>): string {
  // A single pass over the template, so that braces and brackets in a value have no meaning.
  return template.replace(
    /\[([^[\]]*)\]|\{(\w+)\}/g,
    (_all, optional: string | undefined, name: string | undefined) => {
      if (name !== undefined) return show(argument(input, name))
      const names = [...(optional ?? '').matchAll(/\{\??(\w+)\}/g)].map((match) => match[1] ?? '')
      if (names.some((each) => !isGiven(argument(input, each)))) return ''
      return (optional ?? '').replace(/\{(\??)(\w+)\}/g, (_part, asks: string, each: string) =>
        asks === '?' ? '' : show(argument(input, each)),
      )
    },
  )
}

function defaultsOf(schema: Record<string, unknown>): Record<string, unknown> {
  const { properties } = schema
  if (properties === null || typeof properties !== 'object') return {}
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]: [string, unknown]) =>
      property !== null && typeof property === 'object' && 'default' in property ? [[name, property.default]] : [],
    ),
  )
}

function plain(title: string, input: Record<string, unknown>): Sentence {
  const given = Object.entries(input).map(([name, value]) => `${name}=${show(value)}`)
  return given.length === 0 ? say`Runs ${title}` : say`Runs ${title} with ${given.join(', ')}`
}

/** Outsiders choose the names of arguments: `constructor` must not find the prototype's. */
function argument(input: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(input, name) ? input[name] : undefined
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== ''
}

/** Shows an array as a command line, and quotes text that isn't a single plain word so that its ends are visible. */
function show(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(show).join(' ')
  if (typeof value === 'string') return /^[\w@%+=:,./-]+$/.test(value) ? value : JSON.stringify(value)
  return JSON.stringify(value)
}
