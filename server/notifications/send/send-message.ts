import type { ChannelTable } from '../../db/rows/notification-tables.ts'
import { cut } from '../../kernel/text/plain-text.ts'
import type { Vault } from '../../kernel/vault.ts'
import { openSecret } from '../channel-secret.ts'
import type { Message } from './message.ts'
import { sendMail } from './send-mail.ts'
import { sendWebhook } from './send-webhook.ts'
import { WEBHOOKS } from './webhook-bodies.ts'

/** Milliseconds for one attempt. */
const ATTEMPT = 20_000
const PROBLEM = 300

/** Sends through a shared channel, or to a person's address through the mail server. @returns why it did not arrive */
export async function sendMessage(
  vault: Vault,
  { channel, to }: { readonly channel: ChannelTable; readonly to: string | null },
  message: Message,
  stop: AbortSignal,
): Promise<string | null> {
  const secret = openSecret(vault, channel)
  const signal = AbortSignal.any([stop, AbortSignal.timeout(ATTEMPT)])
  const { kind, address, account, sender, target } = channel
  try {
    if (secret === null && channel.secret_sealed !== null)
      throw new Error('Its secret was sealed with another key. Enter it again.')
    if (kind === 'smtp') await sendMail({ address, account, secret, sender: sender! }, to ?? target!, message, signal)
    else if (kind !== 'mail')
      await sendWebhook(WEBHOOKS[kind]({ address, target, secret }, message, Date.now()), signal)
    return null
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    // A server may repeat what it was sent.
    return cut(secret === null ? why : why.replaceAll(secret, '…'), PROBLEM)
  }
}
