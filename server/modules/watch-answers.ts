import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

/** `_meta` key with which Reeve names each call. */
export const CALL_KEY = 'dev.reeve/call'

/**
 * Sees on a transport which calls were answered. The client forgets a call that it cancelled: an answer that comes nevertheless says
 * that the module is done with it. Set up before the client connects.
 */
export function watchAnswers(transport: Transport): { isAnswered(call: string): boolean; forget(call: string): void } {
  const open = new Map<string | number, string>()
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    const call = callOf(message)
    if (call !== null) open.set(call.id, call.key)
    return send(message, options)
  }
  // The client keeps a handler that it finds, and calls it first.
  const { onmessage } = transport
  transport.onmessage = (message, extra) => {
    onmessage?.(message, extra)
    if ('id' in message && message.id !== undefined && !('method' in message)) open.delete(message.id)
  }
  return {
    isAnswered: (call) => ![...open.values()].includes(call),
    forget(call) {
      for (const [id, key] of open) if (key === call) open.delete(id)
    },
  }
}

function callOf(message: JSONRPCMessage): { id: string | number; key: string } | null {
  if (!('method' in message) || !('id' in message) || message.method !== 'tools/call') return null
  const key = (message.params as { _meta?: Record<string, unknown> } | undefined)?._meta?.[CALL_KEY]
  return typeof key === 'string' ? { id: message.id, key } : null
}
