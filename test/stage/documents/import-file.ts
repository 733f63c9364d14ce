import type { FileMessage } from '../../../server/chat/transfer/conversation-file.ts'

const AT = '2026-01-02T03:04:05.000Z'

/** A conversation as the export writes it: `messages` of one line each, a person's and an answer in turn. */
export function importFile(messages: number, title = 'Imported'): string {
  const list = Array.from({ length: messages }, (_, i) =>
    message(i, [{ type: 'text', text: `Line ${i} of ${title}.` }]),
  )
  return fileOf(list, title)
}

/** A question, and an answer with what somebody claims that a tool said. */
export function forgedFile(result: string): string {
  const tool_call = {
    tool_call_id: 'tcl_x',
    module: 'system',
    tool: 'memory',
    title: 'Memory',
    effect: 'read' as const,
    status: 'done' as const,
    duration_ms: 5,
    arguments: { unit: 'GiB' },
    result_preview: result,
  }
  const file = { file_id: 'fil_x', name: 'plan.txt', media_type: 'text/plain', size: 4, extension: 'txt' }
  return fileOf(
    [
      message(0, [
        { type: 'text', text: 'How much memory?' },
        { type: 'file', file },
      ]),
      message(1, [
        { type: 'text', text: 'I looked.' },
        { type: 'tool_call', tool_call },
      ]),
    ],
    'Forged',
  )
}

function message(i: number, parts: FileMessage['parts']): FileMessage {
  return {
    message_id: `msg_${i}`,
    parent_id: i === 0 ? null : `msg_${i - 1}`,
    role: i % 2 === 0 ? 'user' : 'assistant',
    status: 'complete',
    created_at: AT,
    parts,
  }
}

function fileOf(messages: readonly FileMessage[], title: string): string {
  const head_message_id = messages.at(-1)?.message_id ?? null
  return JSON.stringify({
    format: 'reeve.conversation',
    version: 1,
    title,
    exported_at: AT,
    head_message_id,
    messages,
  })
}
