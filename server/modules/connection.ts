import { randomUUID } from 'node:crypto'
import type { CallToolResult, Client } from '@modelcontextprotocol/client'
import { cut, visible } from '../kernel/text.ts'
import type { ModuleLink } from './in-process.ts'
import { pinTool, type PinnedTool, TOOL_NAME } from './pinned-tool.ts'
import { openSettlements, SETTLED_CAPABILITY, type Settlement } from './settlements.ts'
import { throttleProgress } from './progress-throttle.ts'

const CONNECT_DEADLINE_MS = 10_000
const PAGE_LIMIT = 64
const TOOL_LIMIT = 500
const DEFINITION_LIMIT = 64 * 1024
/** How long a stopped call may take to confirm that it stopped. */
const STOP_GRACE_MS = 5000

/** How one call ended, before anybody judges what that means for the run. */
export type CallOutcome =
  | { readonly kind: 'answered'; readonly result: CallToolResult }
  /** The module answered with a protocol error, or with something that is no tool result. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** It was told to stop and confirmed that it did; `message` is what it said about it. */
  | { readonly kind: 'stopped'; readonly why: StopReason; readonly message: string }
  /** It was told to stop, or its connection closed, and nobody knows what it still does. */
  | { readonly kind: 'lost'; readonly why: StopReason | 'closed' }
export type StopReason = 'cancelled' | 'deadline'

/** One connected module: its tools as pinned at the connect, and calls with deadline, cancellation and progress. */
export interface ModuleConnection extends AsyncDisposable {
  readonly tools: ReadonlyMap<string, PinnedTool>
  call(call: ModuleCall, signal: AbortSignal): Promise<CallOutcome>
}

export interface ModuleCall {
  readonly tool: string
  readonly input: Record<string, unknown>
  readonly deadline_ms: number
  readonly progress: (text: string) => void
}

/**
 * Connects the official client, reads and pins the tools. `onClose` is called once when the other end goes away by itself.
 * Rejects with a sentence when the module does not come up within 10 s or its list is not usable.
 */
export async function openConnection(
  link: ModuleLink,
  owner: { module: string; version: string; builtin: boolean },
  onClose: () => void,
): Promise<ModuleConnection> {
  const { Client, isCallToolResult, SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client')
  const { compileSchema } = await import('./json-schema.ts')
  const client = new Client(
    { name: 'reeve', version: owner.version },
    {
      listMaxPages: PAGE_LIMIT,
      jsonSchemaValidator: {
        getValidator: <T>(schema: object) => {
          const check = compileSchema(schema)
          return (value: unknown) => {
            const errorMessage = check(value)
            return errorMessage === null
              ? { valid: true as const, data: value as T, errorMessage: undefined }
              : { valid: false as const, data: undefined, errorMessage }
          }
        },
      },
    },
  )
  const settlements = openSettlements(client, isCallToolResult)
  let tools: ReadonlyMap<string, PinnedTool>
  try {
    await client.connect(link.transport, { timeout: CONNECT_DEADLINE_MS })
    tools = await readTools(client, owner)
  } catch (error) {
    await client.close().catch(() => undefined)
    if (!(error instanceof SdkError)) throw error
    if (error.code === SdkErrorCode.RequestTimeout) {
      throw new Error(`It did not answer within ${CONNECT_DEADLINE_MS / 1000} s.`, { cause: error })
    }
    throw new Error(`Its answer is not usable: ${error.message}`, { cause: error })
  }
  const settles = client.getServerCapabilities()?.experimental?.[SETTLED_CAPABILITY] !== undefined
  let closing = false
  client.onclose = () => {
    if (!closing) onClose()
  }

  async function call(request: ModuleCall, signal: AbortSignal): Promise<CallOutcome> {
    const key = randomUUID()
    const stop = new AbortController()
    let why: StopReason | null = null
    const stopFor = (reason: StopReason) => {
      why ??= reason
      stop.abort()
    }
    const onAbort = () => stopFor('cancelled')
    const deadline = setTimeout(() => stopFor('deadline'), request.deadline_ms)
    const progress = throttleProgress(request.progress)
    const settlement = settlements.expect(key)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const result = await client.callTool(
        { name: request.tool, arguments: request.input, _meta: { 'dev.reeve/call': key } },
        {
          signal: stop.signal,
          // The deadline above is the one that counts: it knows why the call was stopped.
          timeout: request.deadline_ms + STOP_GRACE_MS,
          onprogress: (event) => {
            const of = event.total === undefined ? '' : ` of ${event.total}`
            progress.push(cut(visible(event.message ?? `${event.progress}${of}`), 500))
          },
        },
      )
      return { kind: 'answered', result }
    } catch (error) {
      if (why !== null) return await afterStop(why, settles ? settlement : null)
      if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)
        return { kind: 'lost', why: 'closed' }
      return { kind: 'rejected', message: cut(visible(error instanceof Error ? error.message : String(error)), 1000) }
    } finally {
      clearTimeout(deadline)
      progress.stop()
      settlements.forget(key)
      signal.removeEventListener('abort', onAbort)
    }
  }

  return {
    tools,
    call,
    async [Symbol.asyncDispose]() {
      closing = true
      await client.close()
      await link.close()
    },
  }
}

/**
 * A cancelled MCP request gets no answer, so a module that can tells by a notification of its own when the call has really ended.
 */
async function afterStop(why: StopReason, settlement: Promise<Settlement> | null): Promise<CallOutcome> {
  if (settlement === null) return { kind: 'lost', why }
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, STOP_GRACE_MS, null)
  })
  const settled = await Promise.race([settlement, tooLate])
  clearTimeout(timer)
  if (settled === null) return { kind: 'lost', why }
  return settled.result === null
    ? { kind: 'stopped', why, message: settled.message }
    : { kind: 'answered', result: settled.result }
}

async function readTools(client: Client, owner: { module: string; version: string; builtin: boolean }) {
  const { tools } = await client.listTools(undefined, { timeout: CONNECT_DEADLINE_MS })
  if (tools.length > TOOL_LIMIT)
    throw new Error(`The module lists ${tools.length} tools; at most ${TOOL_LIMIT} are allowed.`)
  const pinned = new Map<string, PinnedTool>()
  for (const tool of tools) {
    if (!TOOL_NAME.test(tool.name))
      throw new Error(`The tool name ${JSON.stringify(cut(tool.name, 140))} is not allowed.`)
    if (pinned.has(tool.name)) throw new Error(`The module lists the tool "${tool.name}" twice.`)
    if (JSON.stringify(tool).length > DEFINITION_LIMIT)
      throw new Error(`The definition of the tool "${tool.name}" is too large.`)
    pinned.set(tool.name, pinTool(tool, owner))
  }
  return pinned
}
