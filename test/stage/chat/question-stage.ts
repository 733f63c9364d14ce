import { contract } from '../../../contract/index.ts'
import type { AnswerContent, Approval } from '../../../contract/chat.ts'
import { begin, lastAnswer, partsOf } from '../chat-stage.ts'
import type { TestClient } from '../client.ts'
import { until } from '../wait.ts'

/** A form with one field of each kind. */
export const SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Your name', minLength: 2, maxLength: 20 },
    size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'], default: 's' },
    count: { type: 'integer', minimum: 1, maximum: 5 },
    again: { type: 'boolean', default: true },
    colours: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'r', title: 'Red' },
          { const: 'g', title: '' },
        ],
      },
      maxItems: 1,
    },
    mail: { type: 'string', format: 'email', description: 'Where to' },
  },
  required: ['name'],
}

/** A message that has asking-module ask. */
export function asks(input: object, tool = 'ask'): string {
  return `/asker.${tool} ${JSON.stringify({ message: 'Well?', ...input })}`
}

export async function pendingOf(client: TestClient): Promise<Approval[]> {
  return (await client.call(contract.chat.listApprovals, { query: { status: 'pending' } })).items
}

/** Answers a question with these values, without any, or (null) declines. */
export function answer(
  client: TestClient,
  approval_id: string,
  content?: AnswerContent | null,
  headers?: Record<string, string>,
) {
  const given = content === undefined ? {} : { content }
  return client.call(contract.chat.decideApproval, {
    params: { approval_id },
    body: content === null ? { decision: 'deny' } : { decision: 'approve', ...(given as { content?: AnswerContent }) },
    headers,
  })
}

/** Begins a call that asks, and gives its card. */
export async function asked(client: TestClient, input: object = { schema: SCHEMA }, tool = 'ask') {
  const { run_id, conversation_id } = await begin(client, asks(input, tool))
  const card = await until(async () => (await pendingOf(client)).find((each) => each.run_id === run_id))
  return { card, run_id, conversation_id }
}

/** What the module got, once the run is over. */
export async function heard(client: TestClient, conversation_id: string): Promise<unknown> {
  const message = await until(async () => {
    const newest = await lastAnswer(client, conversation_id)
    return newest.status === 'complete' && newest
  })
  const text = partsOf(message, 'tool_call')[0]!.tool_call.result_preview!
  return text.startsWith('[') ? JSON.parse(text) : text
}
