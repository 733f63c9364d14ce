import { openGuardedFetch } from '../../kernel/network/guarded-fetch.ts'
import type { WebhookRequest } from './webhook-bodies.ts'

/** Bytes read of an answer. */
const ANSWER = 64 * 1024

/** @throws {Error} that says why it did not arrive */
export async function sendWebhook({ url, ...request }: WebhookRequest, signal: AbortSignal): Promise<void> {
  // An administrator names the address, which may well be in this network; metadata services never are.
  await using guarded = openGuardedFetch({ allowPrivate: true, maxBytes: ANSWER })
  const answer = await guarded.fetch(url, { ...request, redirect: 'error', signal })
  await answer.body?.cancel()
  if (!answer.ok) throw new Error(`It answered with status ${answer.status}.`)
}
