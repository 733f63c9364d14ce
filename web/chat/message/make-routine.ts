import type { Message } from '../../../contract/chat.ts'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { toast } from '../../parts/feedback/toast.tsx'
import { openOverlay } from '../../shell/frame/overlay.ts'
import { messageText } from './message-text.ts'

/**
 * Begins a routine that does again what an answer did: with the message that it answers or the procedure that it carried
 * out, and only the tools that it used.
 */
export async function makeRoutine({ run_id, message_id, parts }: Message): Promise<void> {
  if (run_id === null) return
  try {
    const { conversation_id, procedure } = await call('GET /api/chat/runs/{run_id}', { params: { run_id } })
    const { messages } = await call('GET /api/chat/conversations/{conversation_id}', {
      params: { conversation_id },
      query: { before: message_id, limit: 1 },
    })
    const asked = messages.at(-1)
    const text = asked === undefined ? '' : messageText(asked).trim()
    const used = parts.flatMap((part) =>
      part.type === 'tool_call' && part.tool_call.status === 'done'
        ? [`tool:${part.tool_call.module}.${part.tool_call.tool}`]
        : [],
    )
    const name = text.split('\n')[0]!.slice(0, 80)
    const begun = { kind: 'edit_routine', routine: null, name } as const
    if (procedure !== null) {
      const scope = [`procedure:${procedure.procedure_id}`, 'files.read', ...new Set(used)]
      openOverlay({ ...begun, procedure: { kind: 'procedure', ...procedure }, scope })
      return
    }
    const scope = used.length === 0 ? {} : { scope: ['files.read', ...new Set(used)] }
    openOverlay({ ...begun, text, ...scope })
  } catch (error) {
    toast({ text: explainError(error), tone: 'danger' })
  }
}
