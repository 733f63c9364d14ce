import type { PromptMessage } from '../chat/model.ts'
import type { DirectTexts } from './direct-texts.ts'

type Result = Extract<PromptMessage, { role: 'tool' }>['results'][number]

/** The answer after a direct call: the tool's own words; of a table one line, because the chat shows it as a grid. */
export function directResult(results: readonly Result[], texts: DirectTexts): string {
  return results.map((result) => one(result, texts)).join('\n\n')
}

function one({ name, output, failed }: Result, texts: DirectTexts): string {
  const text = output.trimEnd()
  if (failed) return text === '' ? texts.failed(name) : `${texts.failed(name)}\n\n${fenced(text, '')}`
  if (text.trim() === '') return texts.noOutput(name)
  if (looksLikeTable(text)) return texts.table(name)
  const json = prettyJson(text)
  return json === null ? fenced(text, '') : fenced(json, 'json')
}

/** Rows of tab-separated cells, or a markdown table: how a table reads in a result's text. */
function looksLikeTable(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const tabs = (line: string) => line.split('\t').length - 1
  const rows = lines.slice(0, 2)
  if (rows.length === 2 && tabs(rows[0]!) > 0 && tabs(rows[0]!) === tabs(rows[1]!)) return true
  return lines.some((line, index) => line.startsWith('|') && /^\|[\s:|-]+\|?$/.test(lines[index + 1] ?? ''))
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
