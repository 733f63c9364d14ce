import type { Message } from '../../../contract/chat.ts'
import type { FileRef } from '../../../contract/files.ts'

/** The text of a message, as it was written. */
export function messageText(message: Message): string {
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
}

/** What came with a message from elsewhere. */
export function messageFacts(message: Message) {
  return message.parts.find((part) => part.type === 'facts') ?? null
}

/** The files that were sent with a message. */
export function messageFiles(message: Message): readonly FileRef[] {
  return message.parts.flatMap((part) => (part.type === 'file' ? [part.file] : []))
}
