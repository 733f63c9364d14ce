import { LOCAL_HOST, MACHINE_MODULE } from '../../contract/host-values.ts'
import { INSTALLATION_FIGURES } from '../../contract/watch-limits.ts'
import type { WatchedMachines, WatchFigure, WatchSource } from '../../contract/watch-values.ts'
import type { CallHost } from '../chat/ports/hosts.ts'
import type { UserPolicy } from '../chat/ports/policy.ts'
import { isDisabled } from '../chat/ports/usable-host.ts'
import { say, Sentence } from '../kernel/sentence.ts'
import { observeTable } from './observe-table.ts'
import type { Looking, Observed, Seen } from './seen.ts'
import type { WatchesContext } from './watches-context.ts'

const NOTHING = { seen: [], machines: new Set<string>(), answered: new Set<string>(), columns: [], called: [] }

/** Looks once, as the watch's owner may now. Rejects only when it is stopped. */
export async function observe(context: WatchesContext, looking: Looking, signal: AbortSignal): Promise<Observed> {
  const { source, user_id, scope } = looking
  const refused = (problem: Sentence): Observed => ({ ...NOTHING, problem })
  let policy: UserPolicy | null = null
  if (user_id !== null) {
    // As an access token would: a role that the owner has taken for a while is not meant to last in a watch.
    policy = await context.policy.forUser(user_id, scope, 'token')
    if (policy === null) return refused(say`Its owner’s account is disabled.`)
  }
  if (source.kind === 'figure' && INSTALLATION_FIGURES.includes(source.figure))
    return user_id === null || (await isAdmin(context, policy!))
      ? observeInstallation(context, source.figure)
      : refused(say`Only administrators may watch this.`)
  // Afterwards: then they are as new as the rules.
  const all = await context.hosts.read()
  const hosts = worksSomewhere(source) ? chosen(source.machines, all, policy) : []
  if (hosts instanceof Sentence) return refused(hosts)
  if (source.kind === 'table') {
    if (policy === null) return refused(say`A table is only looked at for a person, with what that person may do.`)
    return observeTable(context, policy, { source, condition: looking.condition, hosts }, signal)
  }
  return observeMachines(context, source.figure, hosts, signal)
}

/** Whether it looks at machines: only tools of one module do. */
export function worksSomewhere(source: WatchSource): boolean {
  return source.kind === 'figure' || source.module === MACHINE_MODULE
}

async function observeInstallation({ figures }: WatchesContext, figure: WatchFigure): Promise<Observed> {
  const figured = await figures.installation(figure)
  const here = new Set([LOCAL_HOST])
  const seen = figured === null ? [] : [seenOf('', LOCAL_HOST, figured)]
  return { ...NOTHING, problem: null, seen, machines: here, answered: here }
}

async function observeMachines(
  { figures }: WatchesContext,
  figure: WatchFigure,
  hosts: readonly CallHost[],
  signal: AbortSignal,
): Promise<Observed> {
  const ids = hosts.map(({ host_id }) => host_id)
  const known = await figures.machines(figure, ids, signal)
  signal.throwIfAborted()
  const seen = hosts.map(({ host_id, name }) => seenOf(name, host_id, known.get(host_id) ?? say`It was not asked.`))
  return { ...NOTHING, problem: null, seen, machines: new Set(ids), answered: new Set(ids) }
}

function seenOf(machine: string, host_id: string, figured: number | Sentence): Seen {
  const unknown = figured instanceof Sentence
  return { host_id, machine, row: '', value: unknown ? null : rounded(figured), problem: unknown ? figured : null }
}

/** As it is shown and compared: 90.04 % is not over 90 % by a hair that nobody sees. */
function rounded(value: number): number {
  return Math.round(value * 10) / 10
}

/** The machines that are meant, of those that the owner may use; a sentence when there are none. */
export function chosen(
  which: WatchedMachines,
  all: readonly CallHost[],
  policy: Pick<UserPolicy, 'mayUse'> | null,
): readonly CallHost[] | Sentence {
  const mine = policy === null ? all : all.filter((host) => policy.mayUse(host))
  const open = mine.filter(({ disabled }) => !disabled)
  switch (which.of) {
    case 'local':
      return oneOf(mine, LOCAL_HOST)
    case 'host':
      return oneOf(mine, which.host_id)
    case 'tag': {
      const tagged = open.filter(({ tags }) => tags.includes(which.tag))
      return tagged.length === 0 ? say`There is no machine with the tag “${which.tag}”.` : tagged
    }
    case 'all':
      return open.length === 0 ? say`There is no such machine.` : open
  }
}

function oneOf(hosts: readonly CallHost[], host_id: string): readonly CallHost[] | Sentence {
  const host = hosts.find((one) => one.host_id === host_id)
  if (host === undefined) return say`There is no such machine.`
  return host.disabled ? isDisabled(host.name) : [host]
}

async function isAdmin({ db }: WatchesContext, { role_id }: UserPolicy): Promise<boolean> {
  const role = await db.read.selectFrom('role').select('admin').where('role_id', '=', role_id).executeTakeFirst()
  return role?.admin === 1
}
