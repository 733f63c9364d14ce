import { randomUUID } from 'node:crypto'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { cut, visible } from '../../../kernel/text/plain-text.ts'
import { within } from '../../../kernel/within.ts'
import { CALL_KEY } from '../watch-answers.ts'

type Members = Record<string, unknown>

/** A call that was answered with a task in place of a result, and what its request said of the protocol. */
export interface AnsweredTask {
  readonly task: Members
  readonly envelope: Members
}

/** The module answered with a protocol error. */
export class Refusal extends Error {}
/** What a task itself says that it came to: no result. A request about a task that is refused says nothing of the kind. */
export class TaskEnded extends Error {}
/** The connection ended before the answer came. */
export class Closed extends Error {}
/** No answer came in time, or the stream that it was to come over has ended without it. */
export class Unanswered extends Error {}

export interface Asking {
  /** Gives up on the answer. */
  readonly signal?: AbortSignal
  /** Milliseconds that the answer may take. */
  readonly limit_ms?: number
}

/**
 * Requests that the client library does not know, beside its own, over the same transport; and answers that it refuses.
 * Must be set up before the client connects.
 */
export function openRawRequests(transport: Transport) {
  const waiting = new Map<string, PromiseWithResolvers<Members>>()
  const calls = new Map<string | number, { readonly key: string; readonly envelope: Members }>()
  const tasks = new Map<string, AnsweredTask>()
  const late = new Map<string, () => void>()
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    const call = callOf(message)
    if (call !== null) calls.set(call.id, call)
    return send(message, options)
  }
  const { onmessage, onclose } = transport
  transport.onclose = () => {
    onclose?.()
    for (const asked of waiting.values()) asked.reject(new Closed('The connection was closed.'))
  }
  transport.onmessage = (message, extra) => {
    onmessage?.(message, extra)
    if (!('id' in message) || message.id === undefined || 'method' in message) return
    const asked = waiting.get(String(message.id))
    if (asked !== undefined) {
      if ('error' in message) asked.reject(new Refusal(cut(visible(String(message.error.message)), 1000)))
      else asked.resolve(message.result)
    }
    const call = calls.get(message.id)
    calls.delete(message.id)
    if (call === undefined) return
    const result = 'result' in message ? (message.result as Members | null) : null
    if (result?.['resultType'] === 'task') tasks.set(call.key, { task: result, envelope: call.envelope })
    late.get(call.key)?.()
  }
  return {
    /** What the call was answered with, if that is a task. */
    task: (call: string): AnsweredTask | null => tasks.get(call) ?? null,
    /** The same once it has come, for a call that nobody waits for any more; null without one within this time. */
    async lateTask(call: string, milliseconds: number): Promise<AnsweredTask | null> {
      // A request of its own connection is stopped by ending that: the module knows, and nothing comes.
      if (transport.hasPerRequestStream === true) return tasks.get(call) ?? null
      if (![...calls.values()].some(({ key }) => key === call)) return tasks.get(call) ?? null
      const { promise, resolve } = Promise.withResolvers<void>()
      late.set(call, resolve)
      await within(promise, milliseconds)
      late.delete(call)
      return tasks.get(call) ?? null
    },
    /** Rejects with `Refusal`, `Unanswered` or `Closed`, or with what the transport says. */
    async ask(method: string, params: Members, { signal, limit_ms }: Asking = {}): Promise<Members> {
      const gone = 'It is not waited for any more.'
      if (signal?.aborted === true) throw new Unanswered(gone)
      const id = `reeve-${randomUUID()}`
      const answer = Promise.withResolvers<Members>()
      const over = new AbortController()
      const fail = (why: string) => answer.reject(new Unanswered(why))
      const stop = () => fail(gone)
      const timer = limit_ms === undefined ? undefined : setTimeout(fail, limit_ms, `No answer within ${limit_ms} ms.`)
      signal?.addEventListener('abort', stop, { once: true })
      waiting.set(id, answer)
      try {
        const sent = send(
          { jsonrpc: '2.0', id, method, params },
          { requestSignal: over.signal, onRequestStreamEnd: () => fail('The answer ended before it was there.') },
        )
        // The answer may be there before what sends is done.
        return await Promise.race([answer.promise, sent.then(() => answer.promise)])
      } finally {
        waiting.delete(id)
        clearTimeout(timer)
        signal?.removeEventListener('abort', stop)
        // Ends the request where it has a connection of its own.
        over.abort()
      }
    },
    forget(call: string): void {
      tasks.delete(call)
      for (const [id, { key }] of calls) if (key === call) calls.delete(id)
    },
  }
}
export type RawRequests = ReturnType<typeof openRawRequests>

function callOf(message: JSONRPCMessage): { id: string | number; key: string; envelope: Members } | null {
  if (!('method' in message) || !('id' in message) || message.method !== 'tools/call') return null
  const meta = (message.params as { _meta?: Members } | undefined)?._meta ?? {}
  const key = meta[CALL_KEY]
  const envelope = Object.fromEntries(
    Object.entries(meta).filter(([name]) => name.startsWith('io.modelcontextprotocol/')),
  )
  return typeof key === 'string' ? { id: message.id, key, envelope } : null
}
