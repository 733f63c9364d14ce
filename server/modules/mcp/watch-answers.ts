import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { resultFault } from './result-fault.ts'

/** The `_meta` key with which Reeve identifies each call. */
export const CALL_KEY = 'dev.reeve/call'

/**
 * Watches a transport for answered calls. The client forgets a call that it cancelled, but an answer that comes anyway
 * shows that the module is done with it. Must be set up before the client connects.
 */
export function watchAnswers(transport: Transport): {
  /** Resolves once the call is answered; never for a call that was forgotten before. */
  answered(call: string): Promise<void>
  /** Resolves when the call is answered with something that the client does not even take for an answer. */
  unreadable(call: string): Promise<void>
  /** What is wrong with the form of the answer that has come to the call, if anything. */
  fault(call: string): string | null
  forget(call: string): void
} {
  const open = new Map<string | number, string>()
  const waiting = new Map<string, () => void>()
  const unread = new Map<string, () => void>()
  const faults = new Map<string, string | null>()
  const isOpen = (call: string) => [...open.values()].includes(call)
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    const call = callOf(message)
    if (call !== null) open.set(call.id, call.key)
    return send(message, options)
  }
  // The client keeps an existing handler and calls it first.
  const { onmessage } = transport
  transport.onmessage = (message, extra) => {
    onmessage?.(message, extra)
    if (!('id' in message) || message.id === undefined || 'method' in message) return
    const call = open.get(message.id)
    open.delete(message.id)
    if (call !== undefined && 'result' in message) {
      const result: unknown = message.result
      faults.set(call, resultFault(result))
      if (result === null || typeof result !== 'object' || Array.isArray(result)) unread.get(call)?.()
    }
    if (call !== undefined && !isOpen(call)) waiting.get(call)?.()
  }
  return {
    answered: (call) => new Promise((resolve) => (isOpen(call) ? waiting.set(call, resolve) : resolve())),
    unreadable: (call) => new Promise((resolve) => unread.set(call, resolve)),
    fault: (call) => faults.get(call) ?? null,
    forget(call) {
      for (const [id, key] of open) if (key === call) open.delete(id)
      unread.delete(call)
      faults.delete(call)
      waiting.delete(call)
    },
  }
}

function callOf(message: JSONRPCMessage): { id: string | number; key: string } | null {
  if (!('method' in message) || !('id' in message) || message.method !== 'tools/call') return null
  const key = (message.params as { _meta?: Record<string, unknown> } | undefined)?._meta?.[CALL_KEY]
  return typeof key === 'string' ? { id: message.id, key } : null
}
