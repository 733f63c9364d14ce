import type { ToolRequest, ToolResult } from '../chat/tools.ts'
import type { CallOutcome } from './call-outcome.ts'
import type { ModuleConnection } from './connection.ts'
import type { HostLog } from './host-log.ts'
import { maskSecrets } from './mask-secrets.ts'
import { maskedResult } from './masked-result.ts'
import type { AgreedTool } from './runtime-tools.ts'
import { ended, failed, toToolResult } from './tool-result.ts'

export interface CallPorts {
  readonly connection: ModuleConnection | null
  /** The tool as it is at the moment of asking. */
  readonly tool: () => AgreedTool | undefined
  readonly secrets: readonly string[]
  readonly deadline_ms: number
  readonly log: HostLog
  readonly onIgnored: () => void
}

/** Runs one call from the check of its arguments to a masked result. Never rejects. */
export async function runCall(
  ports: CallPorts,
  request: ToolRequest,
  signal: AbortSignal,
  progress: (text: string) => void,
): Promise<ToolResult> {
  const { connection, secrets, log } = ports
  const seen = ports.tool()
  if (connection === null || seen === undefined) return unavailable(request)
  // What the module has announced by now counts: a definition that changed under the call is not run.
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
        onIgnored: () => {
          if (tool.effect !== 'read') ports.onIgnored()
        },
      },
      signal,
    )
  } catch (error) {
    log.warn({ module: request.module, tool: request.tool, err: error }, 'tool call broke')
    outcome = { kind: 'lost', why: 'closed' }
  }
  return maskedResult(await toToolResult(outcome, called), secrets)
}

function unavailable(request: ToolRequest): ToolResult {
  return failed(`The tool ${request.module}.${request.tool} is not available now.`)
}
