import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/server'
import { findWord, searchLine, searchWords } from '../kernel/text/search-words.ts'
import { describeTool, type OfferedTool } from './tool-list.ts'

/** Tools that a list may have before it is one of some tools and of how to find the others. */
const LIST = 40
const PINNED = 20
const FOUND = 8
/** Characters of one answer. */
const ANSWER = 48_000

export function isLong(offered: readonly OfferedTool[]): boolean {
  return offered.length > LIST
}

/**
 * The tools that a long list keeps: taken from one module after the other, those that only read first, so that whoever sees
 * the list sees what there is. The same for the same tools, because clients and models keep lists.
 */
export function pinnedTools(offered: readonly OfferedTool[]): OfferedTool[] {
  const reads = ({ tool }: OfferedTool) => (tool.effect === 'read' ? 0 : 1)
  const modules = [...Map.groupBy(offered, ({ tool }) => tool.module).values()].map((own) =>
    own.toSorted((a, b) => reads(a) - reads(b)),
  )
  const longest = Math.max(...modules.map((own) => own.length))
  const inTurns = Array.from({ length: longest }, (_, turn) => modules.flatMap((own) => own[turn] ?? [])).flat()
  const kept = new Set(inTurns.slice(0, PINNED))
  return offered.filter((one) => kept.has(one))
}

/** The tools that the words say most about; all names where they say nothing. */
export function findTools(offered: readonly OfferedTool[], words: string): CallToolResult {
  const scored = scoresOf(offered, searchWords(words))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
  if (scored.length === 0)
    return answer(`No tool has these words. There are: ${offered.map(({ name }) => name).join(', ')}`, [])
  const tools: McpTool[] = []
  for (const { one } of scored.slice(0, FOUND)) {
    const next = describeTool(one)
    if (tools.length > 0 && JSON.stringify([...tools, next], null, 2).length > ANSWER) break
    tools.push(next)
  }
  return answer(JSON.stringify(tools, null, 2), tools)
}

/** A word counts most in a name, and the more the fewer tools have it. */
function scoresOf(offered: readonly OfferedTool[], words: readonly string[]) {
  const texts = offered.map(({ name, tool }) => [
    { text: searchLine(name.replaceAll('_', ' ')), weight: 4 },
    { text: searchLine(tool.title), weight: 2 },
    { text: searchLine(tool.description), weight: 1 },
  ])
  const scores = offered.map((one) => ({ one, score: 0 }))
  for (const word of words) {
    const found = texts.map((own) =>
      Math.max(0, ...own.map(({ text, weight }) => (findWord(text, word) >= 0 ? weight : 0))),
    )
    const having = found.filter((weight) => weight > 0).length
    found.forEach((weight, at) => (scores[at]!.score += weight / Math.max(1, having)))
  }
  return scores
}

function answer(text: string, tools: readonly McpTool[]): CallToolResult {
  return { content: [{ type: 'text', text: text.slice(0, ANSWER) }], structuredContent: { tools } }
}
