import { randomUUID } from 'node:crypto'
import type { Client, ReadResourceResult } from '@modelcontextprotocol/client'
import type { LogLevel } from '../../../contract/modules.ts'
import type { Icons, ToolRequest } from '../../chat/ports/tools.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { cut, visible } from '../../kernel/text/plain-text.ts'
import { within } from '../../kernel/within.ts'
import { connectionFailure } from './broken-connection.ts'
import { callMeta } from './call-meta.ts'
import { openProgress } from './call-progress.ts'
import type { CallOutcome, StopReason } from '../result/call-outcome.ts'
import { maskSecrets } from '../result/mask-secrets.ts'
import type { HostLog } from '../spec/host-log.ts'
import type { ModuleLink } from '../spec/module-link.ts'
import { type Instructions, readInstructions } from './instructions.ts'
import { iconReader } from './icons.ts'
import type { Inquire } from '../spec/module-inquiry.ts'
import { openInquiries } from './inquiries.ts'
import { openModuleLog } from './module-log.ts'
import { type ModuleLists, openLists } from './module-lists.ts'
import type { ModuleRuntime } from '../spec/module-runtime.ts'
import type { ModuleSpec } from '../spec/module-spec.ts'
import { connectClient, createClient } from './open-client.ts'
import { startDeadline } from './pausable-deadline.ts'
import type { PinnedTool } from './pinned-tool.ts'
import { answerQuestions, type AskingCall } from './questions.ts'
import { openRawRequests, Refusal, TaskEnded } from './tasks/raw-requests.ts'
import { openSettlements, SETTLED_CAPABILITY, type Settlement } from './settlements.ts'
import { openTaskCalls, TaskMisshapen, TaskUnfinished } from './tasks/task-calls.ts'
import { watchAnswers } from './watch-answers.ts'

/**
 * The client requires a limit; the real one is our deadline, which knows why a call was stopped and pauses while a
 * person thinks.
 */
const CLIENT_LIMIT_MS = 24 * 60 * 60_000
const ASK_MS = 15_000

/** One connected module: what it offers, and calls to it with deadline, cancellation, progress and questions. */
export interface ModuleConnection extends AsyncDisposable {
  readonly lists: ModuleLists
  readonly protocol: NonNullable<ModuleRuntime['protocol']>
  readonly instructions: Instructions | null
  readonly icons: Icons | null
  call(call: ModuleCall, signal: AbortSignal): Promise<CallOutcome>
  /** Round-trip time in milliseconds of a request that every server answers. */
  ping(signal: AbortSignal): Promise<number>
  /** From which level on it is to tell what it does. */
  logAt(level: LogLevel | null): Promise<void>
  /** What people ask of it beside calls. */
  readonly ask: Inquire<[secrets: readonly string[]]>
  read(uri: string, signal: AbortSignal): Promise<ReadResourceResult['contents']>
}

export interface ModuleCall {
  readonly tool: PinnedTool
  readonly request: ToolRequest
  readonly deadline_ms: number
  readonly progress: (text: string) => void
  /**
   * Called when the call was told to stop and its module, which has a process, neither said nor showed within the grace
   * period that it stopped. Null: the module is left alone.
   */
  readonly onIgnored: (() => void) | null
}

export interface ConnectionPorts {
  readonly log: HostLog
  /** How long a stopped call may take to confirm that it stopped. */
  readonly grace_ms: number
  /** Called when it has answered, before its lists are read. */
  readonly onGreeted?: () => void
  /** Called after the lists were read again. */
  readonly onLists: () => void
  /** Called at most once, when the other end is gone or no longer usable. */
  readonly onBroken: (reason: Sentence) => void
}

/** Connects and reads what the module offers. Rejects when `signal` aborts or the module's answers are unusable. */
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
  const raw = openRawRequests(link.transport)
  const tasks = openTaskCalls(client, raw, ports.grace_ms)
  const settlements = openSettlements(client, isCallToolResult)
  const progresses = openProgress(client)
  const told = openModuleLog(client, link, spec.name, ports.log)
  const running = new Set<AskingCall>()
  const answer = answerQuestions(client, running, (reason) =>
    ports.log.warn({ module: spec.name, reason }, 'question of a module declined'),
  )
  let lists: ModuleLists
  let icons: Icons | null
  try {
    await connectClient(client, link, spec, timeout, signal)
    ports.onGreeted?.()
    icons = builtin ? null : iconReader(spec.name)(client.getServerVersion()?.icons)
    const owner = {
      module: spec.name,
      version: spec.version,
      builtin,
      reach: spec.reach,
      overHttp: spec.kind === 'remote',
      icons,
    }
    lists = await openLists(client, owner, signal, ports.onLists)
  } catch (error) {
    await client.close().catch(() => undefined)
    throw error
  }
  const settles = client.getServerCapabilities()?.experimental?.[SETTLED_CAPABILITY] !== undefined
  let over = false
  const gone = Promise.withResolvers<void>()
  const end = () => {
    over = true
    gone.resolve()
  }
  const broken = (reason: Sentence) => {
    if (over) return
    end()
    ports.onBroken(reason)
  }
  client.onclose = () => broken(say`It closed the connection.`)

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
    const progress = progresses.expect(key, request.progress)
    const settlement = settlements.expect(key)
    const asking: AskingCall = {
      deadline,
      signal: stop.signal,
      asked: 0,
      ask: (...question) => request.request.ask(...question),
    }
    cancel.addEventListener('abort', onCancel, { once: true })
    running.add(asking)
    try {
      const { tool } = request
      const unreadable = answers.unreadable(key).then(() => null)
      const params = {
        name: tool.name,
        arguments: request.request.input,
        _meta: { ...callMeta(key, request.request, builtin), ...told.meta() },
      }
      const options = { signal: stop.signal, timeout: CLIENT_LIMIT_MS, toolDefinition: tool.definition }
      const called = tasks.call({
        key,
        tool,
        params,
        deadline_ms: request.deadline_ms,
        signal: stop.signal,
        progress: progress.say,
        answer: (question) => answer(asking, question),
        plainly: () => client.callTool(params, options),
      })
      const result = await Promise.race([called, unreadable])
      if (result !== null) return { kind: 'answered', result }
      // The client goes on waiting for an answer that it can read.
      stop.abort()
      return { kind: 'misshapen', fault: answers.fault(key) ?? '' }
    } catch (error) {
      if (error instanceof TaskMisshapen) return { kind: 'misshapen', fault: error.message }
      if (error instanceof TaskUnfinished) return unfinished(why, error, request)
      // It has answered, or the task has, even if that came together with the stop.
      if (error instanceof TaskEnded || error instanceof Refusal)
        return { kind: 'rejected', message: cut(visible(error.message), 1000) }
      const fault = answers.fault(key)
      if (why === null && fault !== null && error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
        return { kind: 'misshapen', fault }
      if (why !== null) return await afterStop(why, key, settlement, request.onIgnored)
      if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)
        return { kind: 'lost', why: 'closed' }
      const failure = spec.kind === 'remote' ? connectionFailure(error) : null
      if (failure?.expired === true) return { kind: 'expired' }
      if (failure?.broken === true) broken(failure.detail)
      if (failure?.access !== undefined)
        return { kind: 'no_access', code: failure.access, message: failure.detail.toString() }
      if (failure?.arrived === true) return { kind: 'lost', why: 'closed' }
      const message = failure?.detail.toString() ?? (error instanceof Error ? error.message : String(error))
      return { kind: 'rejected', message: cut(visible(message), 1000) }
    } finally {
      deadline.clear()
      progress.stop()
      settlements.forget(key)
      raw.forget(key)
      running.delete(asking)
      cancel.removeEventListener('abort', onCancel)
    }
  }

  /**
   * A cancelled MCP request gets no answer, so modules that can report the real end of the call with a notification of
   * their own. A module that answers after all is done with it too; what any other still does is unknown. The outcome
   * is reported to whoever cancelled the call; after a deadline, a module without such a notification is not waited
   * for.
   */
  async function afterStop(
    why: StopReason,
    key: string,
    settlement: Promise<Settlement>,
    onIgnored: ModuleCall['onIgnored'],
  ): Promise<CallOutcome> {
    const process = spec.kind === 'bundle' && onIgnored !== null
    const ends: Promise<Settlement | void> | null = settles
      ? settlement
      : process
        ? Promise.race([answers.answered(key), gone.promise])
        : null
    if (ends === null) {
      answers.forget(key)
      return { kind: 'lost', why }
    }
    const outcome = within(ends, ports.grace_ms).then((ended): CallOutcome => {
      answers.forget(key)
      if (ended !== null && ended.value) return settled(why, ended.value)
      if (ended !== null || over) return { kind: 'lost', why }
      if (process) onIgnored()
      return { kind: 'lost', why, ignored: true }
    })
    return settles || why === 'cancelled' ? outcome : { kind: 'lost', why }
  }

  /** A task that was stopped and did not say so is one that its module goes on with. */
  function unfinished(why: StopReason | null, { confirmed, cause }: TaskUnfinished, call: ModuleCall): CallOutcome {
    const { tool, onIgnored } = call
    if (!confirmed && cause instanceof Error) {
      const reason = maskSecrets(cut(visible(cause.message), 1000), spec.secrets)
      ports.log.warn({ module: spec.name, tool: tool.name, reason }, 'task not followed to its end')
    }
    if (why === null) return { kind: 'lost', why: over ? 'closed' : 'task' }
    if (confirmed || over || spec.kind !== 'bundle' || onIgnored === null) return { kind: 'lost', why }
    onIgnored()
    return { kind: 'lost', why, ignored: true }
  }

  return {
    lists,
    protocol: protocolOf(client),
    instructions: readInstructions(client),
    icons,
    call,
    async ping(until) {
      const from = performance.now()
      const options = { timeout: ASK_MS, signal: until }
      await (client.getProtocolEra() === 'modern' ? client.discover(options) : client.ping(options))
      return performance.now() - from
    },
    logAt: (level) => told.level(level),
    ask: openInquiries(client, lists),
    async read(uri, until) {
      const { contents } = await client.readResource({ uri }, { timeout: ASK_MS, signal: until, cacheMode: 'bypass' })
      return contents
    },
    async [Symbol.asyncDispose]() {
      end()
      lists.close()
      await client.close()
      await link.close()
    },
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

function settled(why: StopReason, { result, message }: Settlement): CallOutcome {
  return result === null ? { kind: 'stopped', why, message } : { kind: 'answered', result }
}
