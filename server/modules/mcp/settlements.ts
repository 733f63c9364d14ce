import type { CallToolResult, Client } from '@modelcontextprotocol/client'
import { cut, visible } from '../../kernel/text/plain-text.ts'

/** A module that declares this experimental capability confirms the end of each cancelled call. */
export const SETTLED_CAPABILITY = 'dev.reeve/settled'
const SETTLED_NOTIFICATION = 'notifications/dev.reeve/settled'

/** How a cancelled call really ended: with its `result` if it finished before noticing, otherwise with a message. */
export interface Settlement {
  readonly result: CallToolResult | null
  readonly message: string
}

/**
 * Listens for `notifications/dev.reeve/settled {call, result?, message?}` and hands each to the call that expects it.
 */
export function openSettlements(client: Client, isResult: (value: unknown) => value is CallToolResult) {
  const expected = new Map<string, (settlement: Settlement) => void>()
  client.fallbackNotificationHandler = async (notification) => {
    const { method, params } = notification
    if (method !== SETTLED_NOTIFICATION || typeof params?.['call'] !== 'string') return
    const message = params['message']
    expected.get(params['call'])?.({
      result: isResult(params['result']) ? params['result'] : null,
      message: typeof message === 'string' ? cut(visible(message), 8000) : '',
    })
  }
  return {
    expect: (call: string) => new Promise<Settlement>((resolve) => expected.set(call, resolve)),
    forget: (call: string) => expected.delete(call),
  }
}
