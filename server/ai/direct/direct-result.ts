import type { PromptMessage } from '../../chat/ports/model.ts'
import type { DirectTexts } from './direct-texts.ts'

type Result = Extract<PromptMessage, { role: 'tool' }>['results'][number]

/**
 * The answer after a direct call: the tool's own text, and one line per table, because the chat shows tables as grids.
 */
export function directResult(results: readonly Result[], texts: DirectTexts): string {
  return results.map((result) => one(result, texts)).join('\n\n')
}

function one({ name, output, failed, tables }: Result, texts: DirectTexts): string {
  const text = output.trimEnd()
  if (failed) return text === '' ? texts.failed(name) : `${texts.failed(name)}\n\n${fenced(text, '')}`
  if (text.trim() === '') return texts.noOutput(name)
  // The text before the first table; the tables themselves are shown as grids.
  const lead = text.split('\n\n', 1)[0]!
  if (tables > 0) return lead.includes('\t') ? texts.table(name) : lead
  const json = prettyJson(text)
  return json === null ? fenced(text, '') : fenced(json, 'json')
}

function prettyJson(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return null
  }
}

/** A fence longer than any run of backticks in the text, so that the text cannot end it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
