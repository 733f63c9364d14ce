import { randomUUID } from 'node:crypto'
import type { CallToolResult, Client, ReadResourceResult } from '@modelcontextprotocol/client'
import type { ToolRequest } from '../chat/tools.ts'
import { cut, visible } from '../kernel/text.ts'
import { connectionFailure } from './broken-connection.ts'
import type { CallOutcome, StopReason } from './call-outcome.ts'
import type { HostLog } from './host-log.ts'
import type { ModuleLink } from './module-link.ts'
import { type ModuleLists, openLists } from './module-lists.ts'
import type { ModuleRuntime } from './module-runtime.ts'
import type { ModuleSpec } from './module-spec.ts'
import { connectClient, createClient } from './open-client.ts'
import { startDeadline } from './pausable-deadline.ts'
import type { PinnedTool } from './pinned-tool.ts'
import { throttleProgress } from './progress-throttle.ts'
import { promptText } from './prompt-list.ts'
import { answerQuestions, type AskingCall } from './questions.ts'
import { openSettlements, SETTLED_CAPABILITY, type Settlement } from './settlements.ts'
import { CALL_KEY, watchAnswers } from './watch-answers.ts'

/** The client's own limit is only there to exist: ours knows why a call was stopped, and stands still while a person thinks. */
const CLIENT_LIMIT_MS = 24 * 60 * 60_000
const ASK_MS = 15_000

/** One connected module: what it offers, and calls with deadline, cancellation, progress and questions. */
export interface ModuleConnection extends AsyncDisposable {
  readonly lists: ModuleLists
  readonly protocol: NonNullable<ModuleRuntime['protocol']>
  call(call: ModuleCall, signal: AbortSignal): Promise<CallOutcome>
  /** Milliseconds that one question took which every server answers. */
  ping(signal: AbortSignal): Promise<number>
  prompt(name: string, args: Readonly<Record<string, string>>): Promise<string>
  read(uri: string, signal: AbortSignal): Promise<ReadResourceResult['contents']>
}

export interface ModuleCall {
  readonly tool: PinnedTool
  readonly request: ToolRequest
  readonly deadline_ms: number
  readonly progress: (text: string) => void
  /** Called when it was told to stop and its module, that has a process, has not said or shown within the grace that it did. */
  readonly onIgnored: () => void
}

export interface ConnectionPorts {
  readonly log: HostLog
  /** How long a stopped call may take to confirm that it stopped. */
  readonly grace_ms: number
  /** The lists were read again. */
  readonly onLists: () => void
  /** The other end is there no more, or not as it was. `reason` is a sentence. Called at most once. */
  readonly onBroken: (reason: string) => void
}

/** Connects, and reads what the module offers. Rejects when `signal` aborts or the module's answers are not usable. */
export async function openConnection(
  link: ModuleLink,
  spec: ModuleSpec,
  ports: ConnectionPorts,
  timeout: number,
  signal: AbortSignal,
): Promise<ModuleConnection> {
  const { isCallToolResult, SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client')
  const builtin = spec.kind === 'builtin'
  const client = await createClient(spec)
  const answers = watchAnswers(link.transport)
  const settlements = openSettlements(client, isCallToolResult)
  const running = new Set<AskingCall>()
  answerQuestions(client, running, (reason) =>
    ports.log.warn({ module: spec.name, reason }, 'question of a module declined'),
  )
  let lists: ModuleLists
  try {
    await connectClient(client, link, spec, timeout, signal)
    const owner = { module: spec.name, version: spec.version, builtin, overHttp: spec.kind === 'remote' }
    lists = await openLists(client, owner, signal, ports.onLists)
  } catch (error) {
    await client.close().catch(() => undefined)
    throw error
  }
  const settles = client.getServerCapabilities()?.experimental?.[SETTLED_CAPABILITY] !== undefined
  let over = false
  const broken = (reason: string) => {
    if (over) return
    over = true
    ports.onBroken(reason)
  }
  client.onclose = () => broken('It went away by itself.')

  async function call(request: ModuleCall, cancel: AbortSignal): Promise<CallOutcome> {
    const key = randomUUID()
    const stop = new AbortController()
    let why: StopReason | null = null
    const stopFor = (reason: StopReason) => {
      why ??= reason
      stop.abort()
    }
    const onCancel = () => stopFor('cancelled')
    const deadline = startDeadline(request.deadline_ms, () => stopFor('deadline'))
    const progress = throttleProgress(request.progress)
    const settlement = settlements.expect(key)
    const asking: AskingCall = {
      deadline,
      signal: stop.signal,
      asked: 0,
      ask: (...question) => request.request.ask(...question),
    }
    cancel.addEventListener('abort', onCancel, { once: true })
    running.add(asking)
    let ignored = false
    try {
      const { tool } = request
      const result = await client.callTool(
        { name: tool.name, arguments: request.request.input, _meta: callMeta(key, builtin ? request.request : null) },
        {
          signal: stop.signal,
          timeout: CLIENT_LIMIT_MS,
          toolDefinition: tool.definition,
          onprogress: (event) => {
            if (event.message?.startsWith('Fulfilling input required by ')) return // The client's own words.
            const of = event.total === undefined ? '' : ` of ${event.total}`
            progress.push(cut(visible(event.message ?? `${event.progress}${of}`), 500))
          },
        },
      )
      return { kind: 'answered', result }
    } catch (error) {
      if (why !== null) {
        const outcome = settles ? await afterStop(why, settlement, ports.grace_ms) : ({ kind: 'lost', why } as const)
        ignored = outcome.kind === 'lost'
        return outcome
      }
      if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)
        return { kind: 'lost', why: 'closed' }
      const failure = spec.kind === 'remote' ? connectionFailure(error) : null
      if (failure?.broken === true) broken(failure.message)
      if (failure?.arrived === true) return { kind: 'lost', why: 'closed' }
      const message = failure?.message ?? (error instanceof Error ? error.message : String(error))
      return { kind: 'rejected', message: cut(visible(message), 1000) }
    } finally {
      deadline.clear()
      progress.stop()
      settlements.forget(key)
      running.delete(asking)
      cancel.removeEventListener('abort', onCancel)
      if (ignored && spec.kind === 'bundle') watchForEnd(key, request.onIgnored)
      else answers.forget(key)
    }
  }

  /** A module that answers a call after all is done with it; of any other nobody knows what it still does. */
  function watchForEnd(key: string, onIgnored: () => void): void {
    const timer = setTimeout(() => {
      const answered = answers.isAnswered(key)
      answers.forget(key)
      if (!over && !answered) onIgnored()
    }, ports.grace_ms)
    timer.unref()
  }

  return {
    lists,
    protocol: protocolOf(client),
    call,
    async ping(until) {
      const from = performance.now()
      const options = { timeout: ASK_MS, signal: until }
      await (client.getProtocolEra() === 'modern' ? client.discover(options) : client.ping(options))
      return performance.now() - from
    },
    async prompt(name, args) {
      if (!lists.prompts().some((prompt) => prompt.name === name))
        throw new Error(`The module has no prompt "${name}".`)
      return promptText(await client.getPrompt({ name, arguments: { ...args } }, { timeout: ASK_MS }))
    },
    async read(uri, until) {
      const { contents } = await client.readResource({ uri }, { timeout: ASK_MS, signal: until, cacheMode: 'bypass' })
      return contents
    },
    async [Symbol.asyncDispose]() {
      over = true
      lists.close()
      await client.close()
      await link.close()
    },
  }
}

/** Only built-ins are told whose call it is. */
function callMeta(key: string, request: ToolRequest | null): Record<string, unknown> {
  if (request === null) return { [CALL_KEY]: key }
  return {
    [CALL_KEY]: key,
    'dev.reeve/user': request.user_id,
    'dev.reeve/run': request.run_id,
    'dev.reeve/conversation': request.conversation_id,
  }
}

function protocolOf(client: Client): NonNullable<ModuleRuntime['protocol']> {
  const { name = '', version = '' } = client.getServerVersion() ?? {}
  return {
    era: cut(visible(client.getNegotiatedProtocolVersion() ?? client.getProtocolEra() ?? ''), 40),
    server: cut(visible(`${name} ${version}`), 200).trim(),
    capabilities: Object.keys(client.getServerCapabilities() ?? {})
      .slice(0, 50)
      .map((capability) => cut(visible(capability), 80)),
  }
}

/**
 * A cancelled MCP request gets no answer, so a module that can tells by a notification of its own when the call has really ended.
 */
async function afterStop(why: StopReason, settlement: Promise<Settlement>, grace_ms: number): Promise<CallOutcome> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, grace_ms, null)
  })
  const settled = await Promise.race([settlement, tooLate])
  clearTimeout(timer)
  if (settled === null) return { kind: 'lost', why }
  const result: CallToolResult | null = settled.result
  return result === null ? { kind: 'stopped', why, message: settled.message } : { kind: 'answered', result }
}
