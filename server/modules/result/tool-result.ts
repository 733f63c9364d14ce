import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/client'
import type { ToolEffect, ToolResult } from '../../chat/ports/tools.ts'
import type { AccessCode } from '../spec/remote-access.ts'
import type { CallOutcome } from './call-outcome.ts'
import { effectReport } from './effect-report.ts'
import { resultFiles } from './result-files.ts'
import { resultTables, tablesFault } from './result-tables.ts'
import { boundText, resultText } from './result-text.ts'

/**
 * A larger answer is refused rather than cut, because its sender is broken or hostile. Files are limited separately.
 */
const ANSWER_LIMIT = 8 * 1024 * 1024

export interface CalledTool {
  readonly effect: ToolEffect
  readonly builtin: boolean
  readonly seconds: number
  /** Reads what a result links to from the module that gave it. */
  read(uri: string): Promise<ReadResourceResult['contents']>
}

/** What an outcome means for the run, given the effect that the tool may have had. Never rejects. */
export async function toToolResult(outcome: CallOutcome, tool: CalledTool): Promise<ToolResult> {
  switch (outcome.kind) {
    case 'answered':
      return answered(outcome.result, tool)
    case 'rejected':
      return failed(`The module answered with an error: ${outcome.message}`)
    case 'misshapen':
      return failed(`The module's answer is not a tool result: ${outcome.fault}${mayHaveWorked(tool)}`)
    case 'no_access':
      return failed(noAccess(outcome.code, outcome.message))
    case 'expired':
      return failed('The session with the module was over, and a new one did not last. The call was not run.')
    case 'stopped': {
      const said = outcome.message === '' ? '' : `\n${outcome.message}`
      if (outcome.why === 'deadline') return failed(`Stopped: it did not end within ${tool.seconds} s.${said}`)
      const stays = tool.effect === 'read' ? '' : '; what it did until then stays'
      return ended('cancelled', `Cancelled while it ran${stays}.${said}`)
    }
    case 'lost':
      return lost(outcome.why, tool)
  }
}

/** Begins with a code, because models, MCP clients and the page look for it. */
export function noAccess(code: AccessCode, why: string): string {
  const next =
    code === 'access_not_renewed'
      ? 'The connection itself stays: try again later.'
      : "One's own accounts are connected under Account → Connections (/account?tab=connections)."
  return `${code}: Nothing has run. ${why} ${next}`
}

export function failed(text: string): ToolResult {
  return ended('failed', text)
}

export function ended(status: ToolResult['status'], text: string): ToolResult {
  return { status, text: boundText(text), tables: [], files: [] }
}

async function answered(result: CallToolResult, tool: CalledTool): Promise<ToolResult> {
  const size = roughSize({ ...result, content: result.content.map(withoutBytes) })
  if (size > ANSWER_LIMIT) {
    return failed(`The module's answer is too large: more than ${ANSWER_LIMIT / 1024 / 1024} MB.${mayHaveWorked(tool)}`)
  }
  const tables = resultTables(result.structuredContent)
  const { files, lines } = await resultFiles(result, (uri) => tool.read(uri))
  return {
    status:
      result.isError !== true
        ? 'done'
        : tool.builtin && tool.effect !== 'read' && isUnknown(result)
          ? 'unknown'
          : 'failed',
    text: resultText(result, tables, lines, tablesFault(result.structuredContent)),
    tables,
    files,
    exit_code: exitCode(result.structuredContent),
    ...effectReport(result.structuredContent),
  }
}

function mayHaveWorked({ effect }: CalledTool): string {
  return effect === 'read' ? '' : ' The tool itself may have done its work.'
}

/** Only what ships with Reeve says so of itself: of a module, what it says is a failure. */
function isUnknown({ _meta: meta }: CallToolResult): boolean {
  return meta?.['dev.reeve/outcome'] === 'unknown'
}

function exitCode(structured: unknown): number | undefined {
  const code = (structured as { readonly exit_code?: unknown } | undefined)?.exit_code
  return typeof code === 'number' && Number.isSafeInteger(code) ? code : undefined
}

function lost(
  why: Extract<CallOutcome, { kind: 'lost' }>['why'],
  { effect, builtin, seconds }: CalledTool,
): ToolResult {
  const what = {
    cancelled: 'It was cancelled and did not confirm that it stopped',
    deadline: `It did not end within ${seconds} s and did not confirm that it stopped`,
    closed: 'The module went away in the middle of the call',
    task: 'The call became a task, and the module does not say what became of that',
  }[why]
  if (effect !== 'read') return ended('unknown', `${what}: it may have had an effect, and nobody can tell.`)
  const harmless = builtin ? 'it only reads, so nothing was changed' : 'it says of itself that it only reads'
  return ended(why === 'cancelled' ? 'cancelled' : 'failed', `${what}; ${harmless}.`)
}

function withoutBytes(block: CallToolResult['content'][number]): unknown {
  if (block.type === 'image' || block.type === 'audio') return { ...block, data: '' }
  return block.type === 'resource' && 'blob' in block.resource ? { ...block, resource: block.resource.uri } : block
}

/** Counts the characters of all strings in a value, stopping once over the limit. */
function roughSize(value: unknown): number {
  let size = 0
  const queue: unknown[] = [value]
  while (queue.length > 0 && size <= ANSWER_LIMIT) {
    const item = queue.pop()
    if (typeof item === 'string') size += item.length
    else if (item !== null && typeof item === 'object') {
      size += 2
      for (const [key, member] of Object.entries(item)) {
        size += key.length
        queue.push(member)
      }
    } else size += 4
  }
  return size
}
