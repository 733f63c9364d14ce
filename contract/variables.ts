import { HOST_PATTERNS } from './host-values.ts'

/** Maximum characters of a variable's name. */
export const VARIABLE_NAME_LIMIT = 40

export type VariableType = 'text' | 'number' | 'date' | 'host' | 'choice'

/** What a prompt asks for before it runs. */
export interface Variable {
  readonly name: string
  readonly type: VariableType
  /** The options of a `choice`, in order and without duplicates. Empty otherwise. */
  readonly options: readonly string[]
}

/**
 * A part of a prompt that looks like a variable but isn't one and stays as written. A hint, never a reason for refusal.
 */
export interface VariableProblem {
  readonly code: 'unknown_type' | 'no_options' | 'name_too_long' | 'other_type' | 'unclosed'
  /** Offsets in UTF-16 units of the prompt. */
  readonly from: number
  readonly to: number
  /** The name of the variable, if there is one. */
  readonly name: string
}

export type PromptPiece = { readonly text: string } | { readonly variable: string }

export interface ParsedPrompt {
  /** In order of first occurrence, one for each name. */
  readonly variables: readonly Variable[]
  readonly pieces: readonly PromptPiece[]
  readonly problems: readonly VariableProblem[]
}

// A name begins with a letter or _ and may contain spaces. Anything else between braces is left alone: prompts of
// administrators are full of `{{.State.Status}}` and `${{ secrets.KEY }}`.
const NAME = /[\p{L}_](?:[\p{L}\p{M}\p{N}_ -]*[\p{L}\p{M}\p{N}_-])?/u
const INSIDE = new RegExp(`^\\s*(${NAME.source})\\s*(?::([^]*))?$`, 'u')
const TYPED = /^([a-z]+)\s*(?:\(([^]*)\))?$/

/**
 * Finds the variables of a prompt: `{{name}}`, `{{name:number}}`, `{{name:date}}`, `{{name:host}}`,
 * `{{name:choice(a|b)}}` (`\|` in an option is a bar). The same name is the same variable; a type given once applies everywhere. Four braces stand for
 * two: `{{{{name}}}}` is the text `{{name}}`. Never throws: anything that isn't a variable is text.
 */
export function parsePrompt(prompt: string): ParsedPrompt {
  const variables = new Map<string, Variable>()
  const pieces: PromptPiece[] = []
  const problems: VariableProblem[] = []
  let text = ''

  /** Records the variable; false when this cannot be one. */
  function note(name: string, type: string | undefined, from: number, to: number): boolean {
    const problem = (code: VariableProblem['code']) => {
      problems.push({ code, from, to, name })
      return false
    }
    if ([...name].length > VARIABLE_NAME_LIMIT) return problem('name_too_long')
    const found = readType(name, type)
    if (typeof found === 'string') return problem(found)
    const before = variables.get(name)
    if (before === undefined || before.type === 'text') variables.set(name, found)
    else if (found.type !== 'text' && JSON.stringify(before) !== JSON.stringify(found)) problem('other_type')
    return true
  }

  let at = 0
  while (at < prompt.length) {
    const open = prompt.indexOf('{{', at)
    if (open < 0) break
    text += prompt.slice(at, open)
    const quoted = prompt.startsWith('{{{{', open) ? prompt.indexOf('}}}}', open) : -1
    if (quoted >= 0) {
      text += prompt.slice(open + 2, quoted + 2)
      at = quoted + 4
      continue
    }
    const close = prompt.indexOf('}}', open)
    const next = prompt.indexOf('{{', open + 1)
    if (close < 0 || (next >= 0 && next < close)) {
      const unclosed = new RegExp(`^(${NAME.source})(?=\\s*(:|$))`, 'u').exec(
        prompt.slice(open + 2, next < 0 ? undefined : next),
      )
      // Three braces: the variable begins at the second.
      if (unclosed)
        problems.push({ code: 'unclosed', from: open, to: next < 0 ? prompt.length : next, name: unclosed[1]! })
      text += '{'
      at = open + 1
      continue
    }
    const [, name, type] = INSIDE.exec(prompt.slice(open + 2, close)) ?? []
    const to = close + 2
    if (name !== undefined && note(name, type, open, to)) {
      if (text !== '') pieces.push({ text })
      text = ''
      pieces.push({ variable: name })
      at = to
    } else {
      text += '{'
      at = open + 1
    }
  }
  text += prompt.slice(at)
  if (text !== '') pieces.push({ text })
  return { variables: [...variables.values()], pieces, problems }
}

/** The prompt with its values, each inserted literally. A variable without a value appears as `{{name}}`. */
export function fillPrompt({ pieces }: ParsedPrompt, values: ReadonlyMap<string, string>): string {
  return pieces
    .map((piece) => ('text' in piece ? piece.text : (values.get(piece.variable) ?? `{{${piece.variable}}}`)))
    .join('')
}

function readType(name: string, type: string | undefined): Variable | 'unknown_type' | 'no_options' {
  if (type === undefined) return { name, type: 'text', options: [] }
  const [, word, inside] = TYPED.exec(type.trim()) ?? []
  if ((word === 'number' || word === 'date' || word === 'host' || word === 'text') && inside === undefined)
    return { name, type: word, options: [] }
  if (word !== 'choice') return 'unknown_type'
  const options = (inside ?? '')
    .split(/(?<!\\)\|/)
    .map((option) => option.replaceAll('\\|', '|').trim())
    .filter((option) => option !== '')
  return options.length === 0 ? 'no_options' : { name, type: 'choice', options: [...new Set(options)] }
}

/**
 * Whether the variable accepts the value: one of the options, a decimal number, a day as YYYY-MM-DD, what may be the
 * name of a machine or a tag (`web-1`, `#web`), any text that is not blank.
 */
export function fits({ type, options }: Variable, value: string): boolean {
  switch (type) {
    case 'choice':
      return options.includes(value)
    case 'number':
      return /^-?(\d+(\.\d*)?|\.\d+)$/.test(value)
    case 'date': {
      const day = /^\d{4}-\d{2}-\d{2}$/.test(value) ? new Date(`${value}T00:00:00Z`) : null
      return day !== null && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value)
    }
    case 'host':
      return value.startsWith('#') ? HOST_PATTERNS.tag.test(value.slice(1)) : HOST_PATTERNS.name.test(value)
    case 'text':
      return value.trim() !== ''
  }
}
