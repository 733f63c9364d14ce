import { EVERY_HOST, HOST_ARGUMENT, HOST_LIMITS, LOCAL_HOST } from '../../../contract/host-values.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { cut, visible } from '../../kernel/text/plain-text.ts'
import type { Sentence } from '../../kernel/sentence.ts'
import { quoted, say } from '../../kernel/sentence.ts'
import type { CallHost, HostList } from '../ports/hosts.ts'
import type { UserPolicy } from '../ports/policy.ts'
import { type Tool, worksOnMachines } from '../ports/tools.ts'
import { isDisabled } from '../ports/usable-host.ts'

/** Names of machines that a refusal lists. */
const NAMED = 20

/** The machines that a call is about. */
export interface CallTargets {
  readonly hosts: readonly CallHost[]
  /** Several, or a tag, were named: their results are told as one. */
  readonly together: boolean
  /** What an approval is bound to: which machines they are, and their pinned keys. Empty for this machine alone. */
  readonly hash: string
}

/** A machine as a call or a card keeps it: by its id, and as it was called then. */
export interface StoredTarget {
  readonly host_id: string
  readonly name: string
}

/** What a tool is sent: its arguments without the one that the server adds. */
export function ownArguments(tool: Tool, input: Record<string, unknown>): Record<string, unknown> {
  if (!worksOnMachines(tool)) return input
  const { [HOST_ARGUMENT]: _host, ...own } = input
  return own
}

/** All machines, for judging calls of these tools: as they are now, unless there is only one. */
export async function hostsNow(hosts: HostList, tools: readonly (Tool | undefined)[]): Promise<readonly CallHost[]> {
  const known = hosts.known()
  if (known.length === 1 || !tools.some((tool) => tool !== undefined && worksOnMachines(tool))) return known
  return hosts.read()
}

/**
 * The machines that a call names, among all there are; null for a tool that works on none. What changes something must name
 * them where there are several. A sentence when nobody can tell which are meant.
 */
export function targetsOf(
  tool: Tool,
  input: Record<string, unknown>,
  all: readonly CallHost[],
  policy: Pick<UserPolicy, 'mayUse'>,
): CallTargets | Sentence | null {
  if (!worksOnMachines(tool)) return null
  const given = input[HOST_ARGUMENT]
  if (given === undefined) {
    if (tool.effect !== 'read' && all.length > 1)
      return say`It may change something, so name the machine in “${HOST_ARGUMENT}”: ${namesIn(all, policy)}.`
    return targets(
      all.filter(({ local }) => local),
      false,
    )
  }
  const words = wordsOf(given)
  const found = new Set<CallHost>()
  for (const word of words) {
    const meant = meantBy(word, all)
    if (meant.length === 0) return say`There is no machine “${shown(word)}”. There are: ${namesIn(all, policy)}.`
    for (const host of meant) found.add(host)
  }
  const open = [...found].filter(({ disabled }) => !disabled)
  const together = words.length > 1 || words.some((word) => word.startsWith('#'))
  const off = [...found].find(({ disabled }) => disabled)
  const byName = words.some((word) => !word.startsWith('#') && off !== undefined && isName(off, word))
  if (off !== undefined && (byName || open.length === 0)) return isDisabled(off.name)
  if (open.length === 0) return say`Name the machine in “${HOST_ARGUMENT}”: ${namesIn(all, policy)}.`
  if (open.length > HOST_LIMITS.hosts) return say`At most ${HOST_LIMITS.hosts} machines at once.`
  return targets(
    all.filter((host) => open.includes(host)),
    together,
  )
}

/** As JSON for the row of the call or card; null: this machine alone, as it always was. */
export function storedTargets(of: CallTargets | null): string | null {
  if (of === null || isPlain(of)) return null
  return JSON.stringify(of.hosts.map(({ host_id, name }): StoredTarget => ({ host_id, name })))
}

export function readTargets(stored: string | null): readonly StoredTarget[] | null {
  return stored === null ? null : (JSON.parse(stored) as StoredTarget[])
}

/** This machine and nothing else. */
function isPlain({ hosts, together }: CallTargets): boolean {
  return !together && hosts.length === 1 && hosts[0]!.local
}

/** Some are reached over a network. */
export function hasRemote(of: CallTargets | null): boolean {
  return of?.hosts.some(({ local }) => !local) ?? false
}

function targets(hosts: readonly CallHost[], together: boolean): CallTargets {
  const local = hosts.every((host) => host.local)
  return { hosts, together, hash: local ? '' : hashOf(hosts.map(({ bound }) => bound).toSorted()) }
}

/** What stands in the argument, which was checked before, as a list. */
function wordsOf(given: unknown): string[] {
  return (Array.isArray(given) ? given : [given]).filter((word): word is string => typeof word === 'string')
}

function meantBy(word: string, all: readonly CallHost[]): readonly CallHost[] {
  if (!word.startsWith('#')) return all.filter((host) => isName(host, word))
  const tag = word.slice(1).toLowerCase()
  return tag === EVERY_HOST ? all : all.filter(({ tags }) => tags.includes(tag))
}

function isName({ name, local }: CallHost, word: string): boolean {
  return name.toLowerCase() === word.trim().toLowerCase() || (local && word.trim() === LOCAL_HOST)
}

/** Those that the person may use, and how many more. */
function namesIn(all: readonly CallHost[], policy: Pick<UserPolicy, 'mayUse'>): Sentence {
  const names = all.filter((host) => !host.disabled && policy.mayUse(host)).map(({ name }) => name)
  const list = quoted(names.slice(0, NAMED).join(', '))
  return names.length > NAMED ? say`${list} and ${names.length - NAMED} more` : list
}

function shown(word: string): string {
  return visible(cut(word, 100))
}
