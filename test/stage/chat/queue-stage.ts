import { contract } from '../../../contract/index.ts'
import { messagesOf, partsOf } from '../chat-stage.ts'
import { ProblemAnswer, type TestClient } from '../client.ts'
import { until } from '../wait.ts'

export function queue(
  client: TestClient,
  conversation_id: string,
  message: string,
  more: Record<string, unknown> = {},
) {
  const { headers, ...fields } = more as { headers?: Record<string, string> }
  return client
    .call(contract.chat.queueMessage, { params: { conversation_id }, body: { message, ...fields }, headers })
    .then(({ queued }) => queued)
}
export async function queueOf(client: TestClient, conversation_id: string) {
  return (await client.call(contract.chat.listQueued, { params: { conversation_id } })).items
}
export async function textsOf(client: TestClient, conversation_id: string): Promise<string[]> {
  return (await messagesOf(client, conversation_id)).flatMap((message) =>
    partsOf(message, 'text').map(({ text }) => `${message.role}: ${text}`),
  )
}
export function atRest(client: TestClient, conversation_id: string) {
  return until(
    async () => {
      const { active_run, queued } = await client.call(contract.chat.conversation, { params: { conversation_id } })
      return active_run === null && queued === 0
    },
    { what: 'nothing runs and nothing is queued' },
  )
}
export async function codeOf(refused: Promise<unknown>): Promise<string> {
  const error = await refused.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return error instanceof ProblemAnswer ? error.code : `not refused: ${String(error)}`
}
