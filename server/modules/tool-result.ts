import type { CallToolResult } from '@modelcontextprotocol/client'
import type { ToolEffect, ToolResult } from '../chat/tools.ts'
import type { CallOutcome } from './connection.ts'
import { boundText, resultText } from './result-text.ts'
import { resultTables } from './result-tables.ts'

/** A larger answer is refused instead of cut: whoever sends it is broken or hostile. */
const ANSWER_LIMIT = 8 * 1024 * 1024

/** What an outcome means for the run, given what the tool may have done to the world. Never throws. */
export function toToolResult(
  outcome: CallOutcome,
  tool: { title: string; effect: ToolEffect },
  seconds: number,
): ToolResult {
  switch (outcome.kind) {
    case 'answered':
      return answered(outcome.result, tool.effect)
    case 'rejected':
      return { status: 'failed', text: boundText(`The module answered with an error: ${outcome.message}`), tables: [] }
    case 'stopped': {
      const said = outcome.message === '' ? '' : `\n${outcome.message}`
      return outcome.why === 'cancelled'
        ? {
            status: 'cancelled',
            text: boundText(
              `Cancelled while it ran${tool.effect === 'read' ? '' : '; what it did until then stays'}.${said}`,
            ),
            tables: [],
          }
        : { status: 'failed', text: boundText(`Stopped: it did not end within ${seconds} s.${said}`), tables: [] }
    }
    case 'lost':
      return lost(outcome.why, tool.effect, seconds)
  }
}

export function failed(text: string): ToolResult {
  return { status: 'failed', text: boundText(text), tables: [] }
}

function answered(result: CallToolResult, effect: ToolEffect): ToolResult {
  const size = roughSize(result)
  if (size > ANSWER_LIMIT) {
    const note = effect === 'read' ? '' : ' The tool itself may have done its work.'
    return failed(`The module's answer is too large: more than ${ANSWER_LIMIT / 1024 / 1024} MB.${note}`)
  }
  const tables = resultTables(result.structuredContent)
  return { status: result.isError === true ? 'failed' : 'done', text: resultText(result, tables), tables }
}

function lost(why: 'cancelled' | 'deadline' | 'closed', effect: ToolEffect, seconds: number): ToolResult {
  const what = {
    cancelled: 'It was cancelled and did not confirm that it stopped',
    deadline: `It did not end within ${seconds} s and did not confirm that it stopped`,
    closed: 'The module went away in the middle of the call',
  }[why]
  if (effect !== 'read')
    return { status: 'unknown', text: `${what}: it may have had an effect, and nobody can tell.`, tables: [] }
  return {
    status: why === 'cancelled' ? 'cancelled' : 'failed',
    text: `${what}; it only reads, so nothing was changed.`,
    tables: [],
  }
}

/** Characters of all strings in a value, counted no further than needed. */
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
