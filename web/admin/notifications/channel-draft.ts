import type { Output } from '../../client/api-types.ts'
import type { MessageKey } from '../../text/i18n.ts'

export type Channel = Output<'GET /api/admin/channels'>['items'][number]
export type Kind = Channel['kind']

/** A shared channel as it is typed. */
export interface ChannelDraft {
  readonly kind: Kind
  readonly name: string
  readonly address: string
  readonly account: string
  readonly sender: string
  readonly target: string
  /** undefined: the stored one stays. */
  readonly secret: string | undefined
  readonly internal: boolean
  readonly language: Channel['language']
  readonly enabled: boolean
}

type Fault = 'name' | 'address' | 'sender' | 'target' | 'secret'

interface KindWords {
  readonly name: string
  readonly address: MessageKey
  readonly address_hint: MessageKey
  readonly placeholder: string
  /** Null: none is needed. */
  readonly secret: MessageKey | null
  readonly secret_hint?: MessageKey
}

/** What each kind asks for, in the order in which they are offered. Names of products are not translated. */
export const KINDS: Readonly<Record<Kind, KindWords>> = {
  smtp: {
    name: 'SMTP',
    address: 'channels.server',
    address_hint: 'channels.server_hint',
    placeholder: 'smtps://mail.example.org:465',
    secret: 'channels.password',
  },
  generic: {
    name: 'Webhook',
    address: 'channels.address',
    address_hint: 'channels.generic_hint',
    placeholder: 'https://hooks.example.org/reeve',
    secret: 'channels.signing',
    secret_hint: 'channels.signing_hint',
  },
  slack: {
    name: 'Slack',
    address: 'channels.address',
    address_hint: 'channels.slack_hint',
    placeholder: 'https://hooks.slack.com/services/…',
    secret: null,
  },
  matrix: {
    name: 'Matrix',
    address: 'channels.server',
    address_hint: 'channels.matrix_hint',
    placeholder: 'https://matrix.example.org',
    secret: 'channels.token',
  },
  ntfy: {
    name: 'ntfy',
    address: 'channels.address',
    address_hint: 'channels.ntfy_hint',
    placeholder: 'https://ntfy.example.org/reeve',
    secret: 'channels.token',
    secret_hint: 'channels.token_hint',
  },
}

export function channelDraftOf(channel: Channel | null, language: Channel['language']): ChannelDraft {
  if (channel === null)
    return {
      kind: 'smtp',
      name: '',
      address: '',
      account: '',
      sender: '',
      target: '',
      secret: '',
      internal: false,
      language,
      enabled: true,
    }
  const { kind, name, address, internal, enabled } = channel
  return {
    kind,
    name,
    address,
    internal,
    enabled,
    language: channel.language,
    account: channel.account ?? '',
    sender: channel.sender ?? '',
    target: channel.target ?? '',
    secret: channel.secret.configured ? undefined : '',
  }
}

/** What is certainly missing; the rest is judged by the server. */
export function channelFaults({ kind, name, address, account, sender, target, secret }: ChannelDraft): Set<Fault> {
  const scheme = kind === 'smtp' ? /^smtps?:\/\/./i : /^https?:\/\/./i
  const needsSecret = kind === 'matrix' || (kind === 'smtp' && account.trim() !== '')
  const faults: readonly (readonly [Fault, boolean])[] = [
    ['name', name.trim() === ''],
    ['address', !scheme.test(address.trim())],
    ['sender', kind === 'smtp' && !sender.includes('@')],
    ['target', kind === 'matrix' && !/^[!#]/.test(target.trim())],
    ['secret', needsSecret && secret === ''],
  ]
  return new Set(faults.flatMap(([fault, is]) => (is ? [fault] : [])))
}

/** As it is sent; what its kind does not have is left out. */
export function channelRequestOf(draft: ChannelDraft) {
  const { kind, secret, internal, language, enabled } = draft
  const typed = (text: string, has: boolean): string | null => (has && text.trim() !== '' ? text.trim() : null)
  return {
    name: draft.name.trim(),
    address: draft.address.trim(),
    account: typed(draft.account, kind === 'smtp'),
    sender: typed(draft.sender, kind === 'smtp'),
    target: typed(draft.target, kind === 'smtp' || kind === 'matrix'),
    // Of a Slack webhook the address is the secret: the server keeps them together.
    ...(secret !== undefined && kind !== 'slack' && { secret: secret === '' ? null : secret }),
    internal,
    language,
    enabled,
  }
}
