import type { ElicitRequest } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { type AnsweredTask, type Asking, type RawRequests, Refusal, TaskEnded } from './raw-requests.ts'

/** Declared by a client that can follow tasks, from the revision of 2026 on. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

const Milliseconds = z.number().positive().optional().catch(undefined)
const Task = z.looseObject({
  taskId: z.string().min(1).max(1024),
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  statusMessage: z.string().optional().catch(undefined),
  pollInterval: Milliseconds,
  pollIntervalMs: Milliseconds,
})
export type Task = z.infer<typeof Task>

/** The requests about a task in one of the two forms that the protocol has for it. */
export interface TaskForm {
  readonly first: Task
  get(signal: AbortSignal): Promise<Task>
  cancel(signal: AbortSignal): Promise<unknown>
  /** The result of a task that has ended, or null while it goes on. Questions are answered on the way. */
  result(task: Task, signal: AbortSignal): Promise<unknown>
}

/** A call became a task that nobody can ask about. */
export class TaskUnread extends Error {}

/** What a question of a task is answered with. */
export type AnswerInput = (question: ElicitRequest['params']) => Promise<object>

const Question = z.object({
  method: z.literal('elicitation/create'),
  params: z.union([
    z.looseObject({
      mode: z.literal('url'),
      message: z.string(),
      url: z.string(),
      elicitationId: z.string().default(''),
    }),
    z.looseObject({
      mode: z.literal('form').optional(),
      message: z.string(),
      requestedSchema: z.looseObject({
        type: z.literal('object'),
        properties: z.record(z.string(), z.looseObject({})),
      }),
    }),
  ]),
})

/** Milliseconds within which a module says how a task is, or that it was told something. */
const SOON_MS = 15_000

function soon(signal: AbortSignal): Asking {
  return { signal, limit_ms: SOON_MS }
}

/** @throws {TaskUnread} */
function firstOf(task: unknown): Task {
  const read = Task.safeParse(task)
  if (!read.success)
    throw new TaskUnread('The call became a task that cannot be read: it needs taskId and a known status.')
  return read.data
}

/** As the revision of 2025-11-25 has it: the result is asked for, and questions come while it is waited for. */
export function olderForm(raw: RawRequests, created: unknown): TaskForm {
  const first = firstOf(created)
  const params = { taskId: first.taskId }
  return {
    first,
    get: async (signal) => Task.parse(await raw.ask('tasks/get', params, soon(signal))),
    cancel: (signal) => raw.ask('tasks/cancel', params, soon(signal)),
    async result({ status, statusMessage }, signal) {
      if (status === 'working') return null
      if (status === 'cancelled') throw new TaskEnded(statusMessage ?? 'It cancelled the task.')
      // It waits for a person, or for the task, as long as they need.
      return raw.ask('tasks/result', params, { signal }).catch((error: unknown) => {
        // Of a task that has failed this is what it came to; of one that completed, only that its result is not to be had.
        if (!(error instanceof Refusal) || status !== 'failed') throw error
        throw new TaskEnded(statusMessage === undefined ? error.message : `${statusMessage} (${error.message})`)
      })
    },
  }
}

/** As the extension of 2026 has it: result and questions are in the task, and answers are an update of it. */
export function newerForm(raw: RawRequests, { task, envelope }: AnsweredTask, answer: AnswerInput): TaskForm {
  const first = firstOf(task)
  const params = { taskId: first.taskId, _meta: envelope }
  const answered = new Set<string>()
  /** What has not arrived yet. */
  const unsent = new Map<string, object>()
  return {
    first,
    get: async (signal) => Task.parse(await raw.ask('tasks/get', params, soon(signal))),
    cancel: (signal) => raw.ask('tasks/cancel', params, soon(signal)),
    async result({ status, statusMessage, result, error, inputRequests }, signal) {
      if (status === 'completed') return result ?? null
      if (status === 'cancelled') throw new TaskEnded(statusMessage ?? 'It cancelled the task.')
      if (status === 'failed') {
        const message = (error as { message?: unknown } | undefined)?.message
        throw new TaskEnded(typeof message === 'string' ? message : (statusMessage ?? 'The task failed.'))
      }
      for (const [key, request] of Object.entries((inputRequests ?? {}) as Record<string, object>)) {
        // Each is answered once: it stays in the task until that has arrived.
        if (answered.has(key) || unsent.has(key)) continue
        const question = Question.safeParse(request)
        // Nothing else was declared.
        const given = question.success
          ? await answer(question.data.params as ElicitRequest['params'])
          : { action: 'decline' }
        unsent.set(key, given)
      }
      if (unsent.size === 0) return null
      const sent = [...unsent.keys()]
      await raw.ask('tasks/update', { ...params, inputResponses: Object.fromEntries(unsent) }, soon(signal))
      for (const key of sent) {
        answered.add(key)
        unsent.delete(key)
      }
      return null
    },
  }
}
