import { EVERY_HOST, LOCAL_HOST } from '../../contract/host-values.ts'
import { foldText } from '../text/fold.ts'
import type { Host } from './hosts-query.ts'

/**
 * What a person is told about a machine: its state, or that it is switched off, or was not looked at since its host key
 * was pinned.
 */
export type HostCondition = NonNullable<Host['state']> | 'disabled' | 'unchecked'

/** In the order of a list of choices. */
export const CONDITIONS: readonly HostCondition[] = [
  'ok',
  'key_changed',
  'sign_in_refused',
  'unreachable',
  'key_unknown',
  'unchecked',
  'disabled',
]

export function conditionOf({ disabled, state }: Host): HostCondition {
  return disabled ? 'disabled' : (state ?? 'unchecked')
}

export interface HostSearch {
  readonly q: string
  readonly state: HostCondition | null
  readonly tag: string | null
}

export const EVERY_MACHINE: HostSearch = { q: '', state: null, tag: null }

/** The machines with all the words in what is seen of them, in a condition, with a tag. */
export function findHosts(hosts: readonly Host[], { q, state, tag }: HostSearch): readonly Host[] {
  const words = foldText(q).split(/\s+/).filter(Boolean)
  return hosts.filter((host) => {
    const text = foldText([host.name, host.address, ...host.tags.map((one) => `#${one}`), host.facts?.system].join(' '))
    return (
      words.every((word) => text.includes(word)) &&
      (state === null || conditionOf(host) === state) &&
      (tag === null || host.tags.includes(tag))
    )
  })
}

/** Every tag that some machine has, by name. */
export function tagsOf(hosts: readonly Host[]): readonly string[] {
  return [...new Set(hosts.flatMap(({ tags }) => tags))].sort()
}

/** What may stand after `host=`: the machines that calls can use, and with several of them their tags and “all”. */
export function hostWords(hosts: readonly Host[]): readonly string[] {
  const open = hosts.filter(({ disabled }) => !disabled)
  const several = open.length > 1 ? [...tagsOf(open), EVERY_HOST].map((tag) => `#${tag}`) : []
  return [...open.map(({ name }) => name), ...several]
}

export function isLocal({ host_id }: Pick<Host, 'host_id'>): boolean {
  return host_id === LOCAL_HOST
}

/** `web-1.example:2222`; an IPv6 address in brackets. The usual port is not said. */
export function placeOf({ address, port }: Host): string {
  if (address === null) return ''
  const name = address.includes(':') ? `[${address}]` : address
  return port === 22 ? address : `${name}:${port}`
}
