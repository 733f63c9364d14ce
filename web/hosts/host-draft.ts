import { EVERY_HOST, HOST_ACCOUNT, HOST_LIMITS, HOST_PATTERNS, SSH_PORT } from '../../contract/host-values.ts'
import { type MessageKey, t } from '../text/i18n.ts'
import type { Host } from './hosts-query.ts'

/** A machine as it is typed. */
export interface HostDraft {
  readonly name: string
  readonly address: string
  readonly port: string
  readonly account: string
  /** Empty: directly. */
  readonly jump: string
  /** Separated by commas or white space, with `#` or without. */
  readonly tags: string
}

export const NEW_HOST: HostDraft = {
  name: '',
  address: '',
  port: String(SSH_PORT),
  account: HOST_ACCOUNT,
  jump: '',
  tags: '',
}

export function draftOf({ name, address, port, account, jump_host_id, tags }: Host): HostDraft {
  return {
    name,
    address: address ?? '',
    port: String(port ?? SSH_PORT),
    account: account ?? '',
    jump: jump_host_id ?? '',
    tags: tags.join(', '),
  }
}

export function requestOf(draft: HostDraft) {
  return {
    name: draft.name.trim(),
    address: draft.address.trim(),
    port: Number(draft.port),
    account: draft.account.trim(),
    jump_host_id: draft.jump === '' ? null : draft.jump,
    tags: typedTags(draft.tags),
  }
}

/** `web, #Berlin` → web, berlin. */
export function typedTags(text: string): string[] {
  const words = text.split(/[\s,;]+/).map((word) => word.replace(/^#/, '').toLowerCase())
  return [...new Set(words.filter((word) => word !== ''))]
}

/** What is wrong with each field, in words; empty when it can be sent. What is still empty is not wrong yet. */
export function problemsOf(draft: HostDraft): Readonly<Partial<Record<keyof HostDraft, string>>> {
  const { name, address, account } = HOST_PATTERNS
  const wrong = (field: 'name' | 'address' | 'account', pattern: RegExp, message: MessageKey) =>
    draft[field].trim() === '' || pattern.test(draft[field].trim()) ? {} : { [field]: t(message) }
  const tags = tagsProblem(draft.tags)
  const port = Number(draft.port)
  return {
    ...wrong('name', name, 'hosts.name_wrong'),
    ...wrong('address', address, 'hosts.address_wrong'),
    ...wrong('account', account, 'hosts.account_wrong'),
    ...(Number.isInteger(port) && port >= 1 && port <= 65_535 ? {} : { port: t('hosts.port_wrong') }),
    ...(tags === null ? {} : { tags }),
  }
}

export function tagsProblem(text: string): string | null {
  const tags = typedTags(text)
  if (tags.length > HOST_LIMITS.tags) return t('hosts.tags_many', { count: HOST_LIMITS.tags })
  return tags.every((tag) => HOST_PATTERNS.tag.test(tag) && tag !== EVERY_HOST) ? null : t('hosts.tags_wrong')
}

export function isComplete(draft: HostDraft): boolean {
  const filled = [draft.name, draft.address, draft.account].every((text) => text.trim() !== '')
  return filled && Object.keys(problemsOf(draft)).length === 0
}
