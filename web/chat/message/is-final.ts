import type { Message } from '../../../contract/chat.ts'

/** Whether a message will not change any more. */
export function isFinal(message: Message): boolean {
  return message.status !== 'streaming' && message.status !== 'waiting_approval'
}
