import type { ChannelKind } from '../../contract/notification-values.ts'
import { AppError } from '../kernel/app-error.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import { isLoopback } from '../kernel/network/loopback.ts'

/** What a shared channel is as somebody wants it. */
export interface WantedChannel {
  readonly kind: ChannelKind
  readonly address: string
  readonly account: string | null
  readonly sender: string | null
  readonly target: string | null
  readonly secret: string | null
}

const ROOM = /^[!#][^\s:]{1,200}:[^\s]{1,200}$/
const MAILBOX = /^[^\s@,;<>"]{1,64}@[^\s@,;<>"]{1,190}$/

/**
 * The channel as it is stored: what is missing or not fitting is refused, and the whole address of a Slack webhook is its
 * secret. @throws {AppError} bad_channel
 */
export function checkedChannel<T extends WantedChannel>(wanted: T): T {
  const url = URL.parse(wanted.address)
  const refuse = (why: Sentence): never => {
    throw new AppError('bad_channel', why)
  }
  if (url === null || url.hostname === '' || url.username !== '' || url.password !== '')
    return refuse(say`The address must be complete, and contain neither a user name nor a password.`)
  if (wanted.kind === 'smtp') {
    if (!/^smtps?:$/.test(url.protocol))
      return refuse(say`The address of a mail server begins with smtps:// or smtp://.`)
    if (wanted.sender === null) return refuse(say`Mails need an address that they come from.`)
    if (wanted.account !== null && wanted.secret === null)
      return refuse(say`An account at the mail server needs a password.`)
    if (wanted.target !== null && !MAILBOX.test(wanted.target))
      return refuse(say`Mails of rules go to one mail address.`)
    return { ...wanted, address: `${url.protocol}//${url.host}` }
  }
  if (!/^https?:$/.test(url.protocol)) return refuse(say`The address of a webhook begins with https:// or http://.`)
  if (wanted.kind === 'matrix') {
    if (wanted.target === null || !ROOM.test(wanted.target))
      return refuse(say`Matrix needs a room, such as !abc:example.org.`)
    if (wanted.secret === null) return refuse(say`Matrix needs the access token of an account.`)
  }
  if (wanted.kind === 'ntfy' && url.pathname.split('/').filter(Boolean).length === 0)
    return refuse(say`The address ends with the topic, such as https://ntfy.example.org/reeve.`)
  if (wanted.kind !== 'slack') return wanted
  // What is stored already shows no more than its host.
  if (url.pathname !== '/' || url.search !== '') return { ...wanted, address: url.origin, secret: wanted.address }
  return wanted.secret === null ? refuse(say`The address must be complete, as Slack shows it.`) : wanted
}

/** Whether mails may go there without encryption: nobody is on the way. */
export function isOnThisMachine(address: string): boolean {
  return isLoopback(new URL(address).hostname)
}
