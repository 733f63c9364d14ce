import { type CallToolResult, type Client, isCallToolResult } from '@modelcontextprotocol/client'
import { boundedCheck } from '../bounded-check.ts'
import { connectionFailure } from '../broken-connection.ts'
import { CHECK_MS, type PinnedTool } from '../pinned-tool.ts'
import { Closed, type RawRequests, TaskEnded, Unanswered } from './raw-requests.ts'
import { resultFault } from '../result-fault.ts'
import { SessionExpired } from '../../spec/remote-refusals.ts'
import { NotConnected } from '../../spec/remote-access.ts'
import { type AnswerInput, newerForm, olderForm, TASKS_EXTENSION, type TaskForm, TaskUnread } from './task-forms.ts'

const POLL_MS = { least: 100, usual: 1000, most: 10_000 }
/** How often in a row asking about a task may fail: the task goes on while a connection doesn't. */
const TRIES = 5
/** Milliseconds more before each next try. */
const RETRY_MS = 500
/** For how long a module is asked to keep a task beyond the time that the call has: a person may have to answer it. */
const KEPT_MS = 30 * 60_000

/** A call that became a task and did not end with a result. `confirmed`: it was stopped, and the module said so. */
export class TaskUnfinished extends Error {
  readonly confirmed: boolean
  constructor(confirmed: boolean, cause?: unknown) {
    super('The task did not end with a result.', { cause })
    this.confirmed = confirmed
  }
}
/** A task whose result is none of a tool. */
export class TaskMisshapen extends Error {}

export interface TaskCall {
  /** Identifies the call (`watchAnswers`). */
  readonly key: string
  readonly tool: PinnedTool
  readonly params: { readonly name: string; readonly arguments: Record<string, unknown>; readonly _meta: object }
  readonly deadline_ms: number
  readonly signal: AbortSignal
  readonly progress: (text: string) => void
  readonly answer: AnswerInput
  /** The call as it is made without a task. */
  plainly(): Promise<CallToolResult>
}

/**
 * Makes a call, and where it becomes a task, follows that to its end: of the revision of 2025-11-25 for tools that can only be
 * called so, and from 2026 on whenever the module answers with one. A call that is stopped stops its task. The call is made
 * once: what becomes of a task that cannot be followed any more is unknown.
 */
export function openTaskCalls(client: Client, raw: RawRequests, grace_ms: number) {
  async function call(made: TaskCall): Promise<CallToolResult> {
    const { tool, params, key, signal } = made
    if (onlyAsTask(client, tool)) {
      const created = await raw
        .ask(
          'tools/call',
          { ...params, task: { ttl: made.deadline_ms + KEPT_MS } },
          { signal: later(signal, grace_ms) },
        )
        .catch((error: unknown) => {
          throw error instanceof Closed || error instanceof Unanswered ? new TaskUnfinished(false, error) : error
        })
      // A server may answer at once all the same.
      return created['task'] === undefined
        ? checked(created, tool)
        : follow(() => olderForm(raw, created['task']), made)
    }
    try {
      return await made.plainly()
    } catch (error) {
      // Stopped before it is known whether it became one: a task that nobody stops would go on.
      const task = raw.task(key) ?? (signal.aborted && mayBecomeTask(client) ? await raw.lateTask(key, grace_ms) : null)
      if (task === null) throw error
      return await follow(() => newerForm(raw, task, made.answer), made)
    }
  }

  async function follow(read: () => TaskForm, { tool, signal, progress }: TaskCall): Promise<CallToolResult> {
    const form = readForm(read)
    let task = form.first
    let told: string | undefined
    let failures = 0
    try {
      for (;;) {
        if (task.statusMessage !== undefined && task.statusMessage !== told) progress((told = task.statusMessage))
        try {
          const result = await unlessStopped(form.result(task, signal), signal)
          if (result !== null) return checked(result, tool)
          await unlessStopped(pause(task), signal)
          task = await unlessStopped(form.get(signal), signal)
          failures = 0
        } catch (error) {
          if (!isPassing(error) || ++failures >= TRIES) throw error
          // A server that starts anew needs its time.
          await unlessStopped(delay(failures * RETRY_MS), signal)
        }
      }
    } catch (error) {
      // What the task itself says counts, also when that comes together with the stop.
      if (error instanceof TaskEnded || error instanceof TaskMisshapen) throw error
      if (signal.aborted) return checked(await stop(form), tool)
      // It was begun: neither an error of the connection nor a refusal to speak about it means that nothing has run.
      throw new TaskUnfinished(false, error)
    }
  }

  /** Resolves with the result where it had ended before; else it is unfinished. */
  async function stop(form: TaskForm): Promise<unknown> {
    const until = AbortSignal.timeout(grace_ms)
    const ended = (async () => {
      // A task that has ended already refuses it.
      await form.cancel(until).catch(() => undefined)
      while (!until.aborted) {
        const task = await form.get(until)
        if (task.status === 'completed') return form.result(task, until)
        if (task.status === 'cancelled' || task.status === 'failed') return null
        await pause(task, Math.max(POLL_MS.least, grace_ms / 10))
      }
      return null
    })()
    const result = await unlessStopped(ended, until).catch((error: unknown) => {
      throw new TaskUnfinished(false, error)
    })
    if (result === null) throw new TaskUnfinished(true)
    return result
  }

  return { call }
}

/** Where the module says that this tool takes no other call, and that it can do so. */
function onlyAsTask(client: Client, { definition }: PinnedTool): boolean {
  if (client.getProtocolEra() === 'modern') return false
  const capable = client.getServerCapabilities()?.tasks?.requests?.tools?.call !== undefined
  return capable && definition.execution?.taskSupport === 'required'
}

/** Whether a module may answer a call with a task by itself. */
function mayBecomeTask(client: Client): boolean {
  const { extensions } = client.getServerCapabilities() ?? {}
  return client.getProtocolEra() === 'modern' && extensions?.[TASKS_EXTENSION] !== undefined
}

/** What the client library checks of a result that it gets itself. */
function checked(result: unknown, { definition: { outputSchema } }: PinnedTool): CallToolResult {
  const fault = resultFault(result)
  if (fault !== null) throw new TaskMisshapen(fault)
  const answer = { content: [], ...(result as Partial<CallToolResult>) }
  if (!isCallToolResult(answer))
    throw new TaskMisshapen('content has a block of a form that the protocol does not have.')
  if (outputSchema === undefined || answer.isError === true) return answer
  const problem =
    answer.structuredContent === undefined
      ? 'It has an output schema, but gave no structured content.'
      : boundedCheck(outputSchema, 'output schema', CHECK_MS * 2)(answer.structuredContent)
  if (problem !== null) throw new TaskEnded(problem)
  return answer
}

function isPassing(error: unknown): boolean {
  if (error instanceof NotConnected || error instanceof SessionExpired) return false
  return error instanceof Unanswered || connectionFailure(error) !== null
}

function readForm(read: () => TaskForm): TaskForm {
  try {
    return read()
  } catch (error) {
    if (error instanceof TaskUnread) throw new TaskMisshapen(error.message)
    throw error
  }
}

async function pause({ pollIntervalMs, pollInterval }: TaskForm['first'], most = POLL_MS.most): Promise<void> {
  const wanted = pollIntervalMs ?? pollInterval ?? POLL_MS.usual
  await delay(Math.min(Math.max(wanted, POLL_MS.least), most))
}

async function delay(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
}

/** Rejects as soon as the signal does; what goes on then is nobody's concern. */
function unlessStopped<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>()
  const stop = () => stopped.reject(new Error('stopped'))
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  return Promise.race([promise, stopped.promise]).finally(() => signal.removeEventListener('abort', stop))
}

/** Aborts that long after the other does. */
function later(signal: AbortSignal, milliseconds: number): AbortSignal {
  const after = new AbortController()
  const begin = () => void setTimeout(() => after.abort(), milliseconds).unref()
  if (signal.aborted) begin()
  signal.addEventListener('abort', begin, { once: true })
  return after.signal
}
