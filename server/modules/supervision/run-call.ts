import type { ToolRequest, ToolResult } from '../../chat/ports/tools.ts'
import type { CallOutcome } from '../result/call-outcome.ts'
import type { ModuleConnection } from '../mcp/connection.ts'
import type { HostLog } from '../spec/host-log.ts'
import { maskSecrets } from '../result/mask-secrets.ts'
import type { AgreedTool } from './runtime-tools.ts'
import { maskedValue } from '../result/masked-value.ts'
import { ended, failed, toToolResult } from '../result/tool-result.ts'

export interface CallPorts {
  readonly connection: ModuleConnection | null
  /** The tool as it is at that moment. */
  readonly tool: () => AgreedTool | undefined
  readonly secrets: readonly string[]
  readonly deadline_ms: number
  readonly log: HostLog
  readonly onIgnored: () => void
  /** The session was over before the call began. */
  readonly onExpired: (definition_hash: string) => void
}

/** Runs one call, from checking its arguments to masking its result. Never rejects. */
export async function runCall(
  ports: CallPorts,
  request: ToolRequest,
  signal: AbortSignal,
  progress: (text: string) => void,
): Promise<ToolResult> {
  const { connection, secrets, log } = ports
  const seen = ports.tool()
  if (connection === null || seen === undefined) return unavailable(request)
  // Changes that the module has announced by now count: a call whose tool definition has changed is not run.
  await connection.lists.settled()
  const tool = ports.tool()
  if (tool === undefined) return unavailable(request)
  const { definition_hash } = tool
  if (definition_hash !== (request.definition_hash ?? seen.definition_hash))
    return failed(`The definition of ${request.module}.${request.tool} has just changed, so this call was not run.`)
  const problem = tool.check(request.input)
  if (problem !== null) return failed(`The arguments do not fit. ${problem}`)
  if (signal.aborted) return ended('cancelled', 'Cancelled before it started.')

  const deadline_ms = tool.deadline_ms ?? ports.deadline_ms
  const called = {
    effect: tool.effect,
    builtin: tool.builtin,
    seconds: Math.ceil(deadline_ms / 1000),
    read: (uri: string) => connection.read(uri, signal),
  }
  let outcome: CallOutcome
  try {
    outcome = await connection.call(
      {
        tool,
        request: {
          ...request,
          ask: (question, until) =>
            request.ask({ ...question, message: maskSecrets(question.message, secrets) }, until),
        },
        deadline_ms,
        progress: (text) => progress(maskSecrets(text, secrets)),
        // A health check, which belongs to no run, is not a reason to stop the module.
        onIgnored: tool.effect === 'read' && request.run_id === '' ? null : ports.onIgnored,
      },
      signal,
    )
  } catch (error) {
    log.warn({ module: request.module, tool: request.tool, err: error }, 'tool call broke')
    outcome = { kind: 'lost', why: 'closed' }
  }
  if (outcome.kind === 'expired') ports.onExpired(definition_hash)
  const result = maskedResult(await toToolResult(outcome, called), secrets)
  return outcome.kind === 'lost' && outcome.ignored === true ? { ...result, ignored: 'goes_on' } : result
}

export function unavailable(request: ToolRequest): ToolResult {
  return failed(`The tool ${request.module}.${request.tool} is not available now.`)
}

/** Masks the module's own secrets in a result, which would otherwise reach the history and the model. */
function maskedResult(result: ToolResult, secrets: readonly string[]): ToolResult {
  if (secrets.length === 0) return result
  return {
    ...result,
    text: maskSecrets(result.text, secrets),
    // Its bytes are compared and put back, never shown as they are.
    ...(result.preview && { preview: maskedValue(result.preview, secrets) }),
    ...(result.verified && { verified: maskedValue(result.verified, secrets) }),
    tables: result.tables.map((table) => ({
      ...table,
      rows: table.rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([key, cell]) => [key, typeof cell === 'string' ? maskSecrets(cell, secrets) : cell]),
        ),
      ),
    })),
  }
}
