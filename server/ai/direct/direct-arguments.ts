import type { PromptTool } from '../../chat/ports/model.ts'
import { argumentTokens, type ArgumentToken } from '../../../contract/argument-tokens.ts'
import { argumentValue } from './argument-value.ts'
import type { DirectTexts } from './direct-texts.ts'
import { editDistance } from './nearest-tools.ts'
import { properties, requiredNames, usage } from './tool-usage.ts'

type Parsed = { input: Record<string, unknown> } | { problem: string }

/**
 * The arguments of a direct call: a JSON object, `key=value` pairs typed by the tool's schema, or, if the tool has one
 * obvious argument, just its value. Anything that cannot be parsed returns a problem that says what is expected.
 */
export function directArguments(text: string, tool: PromptTool, texts: DirectTexts): Parsed {
  const known = properties(tool.input_schema)
  const parsed = text.startsWith('{') ? fromJson(text, texts) : fromTokens(text, tool, known, texts)
  if ('problem' in parsed) return { problem: `${parsed.problem}\n\n${usage(tool, texts)}` }
  const missing = requiredNames(tool.input_schema).filter((name) => !Object.hasOwn(parsed.input, name))
  return missing.length > 0 ? { problem: `${texts.missing(missing)}\n\n${usage(tool, texts)}` } : parsed
}

function fromJson(text: string, texts: DirectTexts): Parsed {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { input: { ...value } }
    return { problem: texts.notAnObject }
  } catch (error) {
    return { problem: texts.badJson(error instanceof Error ? error.message : '') }
  }
}

function fromTokens(text: string, tool: PromptTool, known: Record<string, unknown>, texts: DirectTexts): Parsed {
  const tokens = argumentTokens(text)
  if ('open' in tokens) return { problem: texts.unclosed(tokens.open) }
  const only = onlyArgument(tool, known)
  if (only !== null && tokens.list.length > 0 && tokens.list.every((token) => token.key === null)) {
    const single = tokens.list.length === 1 ? tokens.list[0]! : { key: null, text, quoted: false }
    return collect([{ ...single, key: only }], tool, known, texts)
  }
  return collect(tokens.list, tool, known, texts)
}

function collect(
  tokens: ArgumentToken[],
  tool: PromptTool,
  known: Record<string, unknown>,
  texts: DirectTexts,
): Parsed {
  // Without a prototype, so that an argument called __proto__ is just a name.
  const input: Record<string, unknown> = Object.create(null)
  const open = OPEN.some((keyword) => tool.input_schema[keyword]) || tool.input_schema.properties === undefined
  for (const token of tokens) {
    if (token.key === null) return { problem: texts.noKey(token.text) }
    if (!open && !Object.hasOwn(known, token.key)) {
      const near = Object.keys(known).find((name) => editDistance(name.toLowerCase(), token.key!.toLowerCase()) <= 2)
      return { problem: texts.unknownKey(token.key, near ?? null) }
    }
    const before = input[token.key]
    const value = argumentValue(token, Object.hasOwn(known, token.key) ? known[token.key] : {})
    if ('expected' in value) return { problem: texts.wrongValue(token.key, token.text, value.expected(texts)) }
    if (before === undefined) input[token.key] = value.value
    else if (Array.isArray(before) && Array.isArray(value.value))
      input[token.key] = [...before, ...(value.value as unknown[])]
    else return { problem: texts.twice(token.key) }
  }
  return { input: { ...input } }
}

/**
 * Keywords that let a schema accept more than its `properties`. Without these, a typo would be passed on as an
 * argument.
 */
const OPEN = ['additionalProperties', 'patternProperties', 'anyOf', 'oneOf', 'allOf', '$ref']

/** The argument a bare value is assigned to: the only required one, else the only one. */
function onlyArgument(tool: PromptTool, known: Record<string, unknown>): string | null {
  const required = requiredNames(tool.input_schema)
  const candidates = required.length > 0 ? required : Object.keys(known)
  return candidates.length === 1 ? candidates[0]! : null
}
