import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/server'
import { mainTools, searchTools } from '../chat/ports/tool-search.ts'
import type { Wording } from '../kernel/wording.ts'
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

/** The tools that a long list keeps. */
export function pinnedTools(offered: readonly OfferedTool[]): OfferedTool[] {
  let count = 0
  return mainTools(offered, () => count++ < PINNED)
}

/** The tools that the words say most about; all names where they say nothing. */
export function findTools(
  offered: readonly OfferedTool[],
  words: string,
  wording: (module: string) => Wording,
): CallToolResult {
  const found = searchTools(offered, words, wording)
  if (found.length === 0)
    return answer(`No tool has these words. There are: ${offered.map(({ name }) => name).join(', ')}`, [])
  const tools: McpTool[] = []
  for (const one of found.slice(0, FOUND)) {
    const next = describeTool(one)
    if (tools.length > 0 && JSON.stringify([...tools, next], null, 2).length > ANSWER) break
    tools.push(next)
  }
  return answer(JSON.stringify(tools, null, 2), tools)
}

function answer(text: string, tools: readonly McpTool[]): CallToolResult {
  return { content: [{ type: 'text', text: text.slice(0, ANSWER) }], structuredContent: { tools } }
}
