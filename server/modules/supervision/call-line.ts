import type { ToolRequest, ToolResult } from '../../chat/ports/tools.ts'
import { within } from '../../kernel/within.ts'
import type { ModuleConnection } from '../mcp/connection.ts'
import { maskSecrets } from '../result/mask-secrets.ts'
import { failed, noAccess } from '../result/tool-result.ts'
import { sentenceOf } from '../spec/module-problem.ts'
import { NoAccess, NotConnected } from '../spec/remote-access.ts'
import { ownCause } from '../mcp/broken-connection.ts'
import { type CallPorts, runCall } from './run-call.ts'
import type { AgreedTool } from './runtime-tools.ts'

/** The connection that a call goes over, as it is at that moment. */
export interface CallLine {
  readonly connection: ModuleConnection | null
  /** The calls that are under way over it. */
  readonly running: Set<Promise<unknown>>
  tool(name: string): AgreedTool | undefined
  onIgnored(): void
  /** Connects anew, once for all calls that found their session gone. */
  renew(): Promise<void>
}

type LinePorts = Pick<CallPorts, 'secrets' | 'deadline_ms' | 'log'>

/**
 * Runs one call. If the module had forgotten the session, so that the call was not begun, it is made again in a new one, as
 * long as the tool is the same there.
 */
export async function callOverLine(
  find: () => CallLine | Promise<CallLine>,
  ports: LinePorts,
  request: ToolRequest,
  signal: AbortSignal,
  progress: (text: string) => void,
): Promise<ToolResult> {
  let expired: string | null = null
  const over = async (line: CallLine, asked: ToolRequest) => {
    const call = runCall(
      {
        ...ports,
        connection: line.connection,
        tool: () => line.tool(asked.tool),
        onIgnored: () => line.onIgnored(),
        onExpired: (definition_hash) => (expired = definition_hash),
      },
      asked,
      signal,
      progress,
    )
    line.running.add(call)
    return call.finally(() => line.running.delete(call))
  }
  let line: CallLine
  try {
    // A connection that is there is used at once: whoever stops the call now stops one that was sent.
    const found = find()
    line = found instanceof Promise ? await found : found
  } catch (error) {
    return notConnected(request, error, ports.secrets)
  }
  const result = await over(line, request)
  if (expired === null) return result
  try {
    await line.renew()
    line = await find()
  } catch (error) {
    return notConnected(request, error, ports.secrets)
  }
  return over(line, { ...request, definition_hash: expired })
}

/** There was no connection to make the call over. */
function notConnected({ module }: ToolRequest, error: unknown, secrets: readonly string[]): ToolResult {
  const cause = ownCause(error)
  const why = maskSecrets(sentenceOf(ownCause(error)).toString(), secrets)
  const first =
    cause instanceof NotConnected ? `The person has to connect ${module} with an account of their own first. ` : ''
  return failed(
    cause instanceof NoAccess
      ? noAccess(cause.code, first + why)
      : `Nothing has run. The module ${module} cannot be reached with this person's account. ${why}`,
  )
}

/** Waits, for a while, until the calls over a connection that is to be closed have ended: each finds out for itself. */
export async function idleWithin(running: ReadonlySet<Promise<unknown>>, milliseconds: number): Promise<void> {
  await within(Promise.allSettled(running), milliseconds)
}
