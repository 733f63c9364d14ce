import { LOCAL_HOST } from '../../contract/host-values.ts'
import type { HostHelper } from '../../contract/hosts.ts'
import type { Caller } from '../../contract/route.ts'
import type { AuditLog } from '../chat/ports/audit-log.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Database, Trx } from '../db/database.ts'
import type { HostStateTable } from '../db/rows/host-tables.ts'
import { iso } from '../kernel/time.ts'
import { MachineUnreachable } from '../modules/machines.ts'
import { isAnotherBoot, keptFacts } from './host-facts.ts'
import { helperOf, type KnownHost, NO_HELPER, readHosts, theHost, theRemote } from './host-rows.ts'
import { wayTo } from './jumps.ts'
import { shownKey } from './shown-key.ts'
import { localDoor } from './reeve-op/door.ts'
import { askHello, type HelperFound } from './reeve-op/hello.ts'
import type { SshConnections } from './ssh/connections.ts'
import type { HostTarget, ScannedKey } from './ssh/target.ts'
import { targetOf } from './targets.ts'

/** How old a state may get while somebody may see it. */
const STALE = 5 * 60_000
/** How old what is known of a machine's reeve-op may get: asking takes a connection of its own. */
const HELPER_STALE = 60 * 60_000
/** Machines looked at once by themselves. */
const AT_ONCE = 16
/** What somebody has asked for ends by itself, whether they still wait for it or not. */
const UNTIL_DONE = new AbortController().signal

export interface HostChecksOptions {
  readonly db: Database
  readonly audit: Pick<AuditLog, 'record'>
  readonly connections: SshConnections
  /** As in HostsOptions. */
  readonly onChanged: (trx: Trx, host_id: string | null) => Promise<void>
}

/** Without `helper`: what is known of it stays. */
type Found = Omit<HostStateTable, 'host_id' | 'checked_at' | 'helper'> & { readonly helper?: string }
interface Asked {
  readonly actor: Caller
  readonly action: string
  readonly details: Record<string, unknown>
}
interface Looked {
  readonly host: KnownHost
  /** Null: nothing new. */
  readonly found: Found | null
}

/** What machines are found to be like. A state that was found under another address or key than the row has now is dropped. */
export class HostChecks implements Disposable {
  readonly #options: HostChecksOptions
  #sweeping = false
  #stopped = false
  /** When reeve-op of this machine was last asked. */
  #local_at = -Infinity

  constructor(options: HostChecksOptions) {
    this.#options = options
  }

  /** Asks for the host key, and signs in nowhere. @throws {AppError} not_found, host_is_local, host_disabled */
  async scan(caller: Caller, host_id: string): Promise<void> {
    const all = await readHosts(this.#options.db.read)
    const host = theRemote(all, host_id)
    const { address, port, jump } = targetOf(all, host.host_id)
    const found = await this.#shown(host, { address, port, jump }, UNTIL_DONE)
    const key = found?.offered_key ?? host.host_key
    const details = found?.problem == null ? key !== null && shownKey(key) : { problem: found.problem }
    await this.#keep([{ host, found }], { actor: caller, action: 'host.scanned', details: { ...details } })
  }

  /** Looks at a machine because somebody asks for it. @throws {AppError} not_found, host_is_local, host_disabled */
  async check(caller: Caller, host_id: string): Promise<void> {
    const all = await readHosts(this.#options.db.read)
    const host = theRemote(all, host_id)
    const found = await this.#look(all, host, UNTIL_DONE, true)
    const details = { state: found?.state ?? null, ...(found?.problem && { problem: found.problem }) }
    await this.#keep([{ host, found }], { actor: caller, action: 'host.checked', details })
  }

  /**
   * Looks at the machines whose state is old: those that were well or away when somebody looked last. Who refused the key,
   * or shows another one, is asked again only when a person wants it.
   */
  async sweep(signal: AbortSignal): Promise<void> {
    if (this.#sweeping) return
    this.#sweeping = true
    try {
      await this.#lookAtOld(signal, Date.now())
      await this.#lookAtOwnHelper(signal)
    } finally {
      this.#sweeping = false
    }
  }

  async #lookAtOld(signal: AbortSignal, now: number): Promise<void> {
    const { db } = this.#options
    const due = await db.read
      .selectFrom('host')
      .innerJoin('host_state', 'host_state.host_id', 'host.host_id')
      .select('host.host_id')
      .where('disabled_at', 'is', null)
      .where('host_key', 'is not', null)
      .where('state', 'in', ['ok', 'unreachable'])
      .where('checked_at', '<', now - STALE)
      .execute()
    if (due.length === 0) return
    const all = await readHosts(db.read)
    const waiting = due.flatMap(({ host_id }) => all.get(host_id) ?? []).filter((host) => isOpen(all, host))
    const looked: Looked[] = []
    const worker = async (): Promise<void> => {
      for (let host = waiting.shift(); host !== undefined && !signal.aborted; host = waiting.shift())
        looked.push({ host, found: await this.#look(all, host, signal) })
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    await this.#keep(looked, null)
  }

  /** Through a socket of this machine, so it costs little. What is known already is no news. */
  async #lookAtOwnHelper(signal: AbortSignal): Promise<void> {
    const { db, onChanged } = this.#options
    if (performance.now() - this.#local_at < STALE) return
    this.#local_at = performance.now()
    const found = await askHello(localDoor(), signal)
    if (found === null || this.#stopped) return
    await db.transaction(async (trx) => {
      await db.dialect.serialize(trx, 'hosts')
      const { checked_at: _, ...before } = helperOf(theHost(await readHosts(trx), LOCAL_HOST)) ?? NO_HELPER
      const now = found.state === 'missing' ? { ...found, problem: null } : found
      if (isDeepStrictEqual(before, now)) return
      const row = { ...NOTHING, state: 'ok' as const, checked_at: Date.now(), helper: kept(now) }
      await trx
        .insertInto('host_state')
        .values({ host_id: LOCAL_HOST, ...row })
        .onConflict((conflict) => conflict.column('host_id').doUpdateSet(row))
        .execute()
      await onChanged(trx, LOCAL_HOST)
    })
  }

  /** @param asked by a person, who wants to know all of it */
  async #look(
    all: ReadonlyMap<string, KnownHost>,
    host: KnownHost,
    signal: AbortSignal,
    asked = false,
  ): Promise<Found | null> {
    const target = targetOf(all, host.host_id)
    if (host.host_key === null) return this.#shown(host, target, signal)
    const found = await this.#options.connections.check(target, signal)
    const helper = found.state === 'ok' ? await this.#helper(host, target, signal, asked) : null
    return {
      state: found.state,
      problem: found.message === '' ? null : found.message,
      latency_ms: found.latency_ms === null ? null : Math.round(found.latency_ms),
      facts: found.facts === null ? (host.found?.facts ?? null) : keptFacts(found.facts),
      offered_key: found.offered_key,
      ...(helper !== null && { helper }),
    }
  }

  /**
   * How its reeve-op stands; null: nothing new. By itself it is asked once an hour where it was there: showing a key to a
   * machine that has refused it is for a person to ask for.
   */
  async #helper(host: KnownHost, target: HostTarget, signal: AbortSignal, asked: boolean): Promise<string | null> {
    const known = helperOf(host)
    const young = known !== null && Date.now() - Date.parse(known.checked_at ?? '') < HELPER_STALE
    if (!asked && (young || known?.state === 'missing')) return null
    const now = await askHello(this.#options.connections.doorOf(target, asked ? 'again' : 'background'), signal)
    return now === null ? null : kept(now)
  }

  /** The host key that it shows. As long as none is pinned, that is the state of a machine, whether it answers or not. */
  async #shown(
    host: KnownHost,
    { address, port, jump }: Pick<HostTarget, 'address' | 'port' | 'jump'>,
    signal: AbortSignal,
  ): Promise<Found | null> {
    try {
      return scanned(host, await this.#options.connections.scan(address, port, jump, signal))
    } catch (error) {
      if (!(error instanceof MachineUnreachable)) throw error
      const state = host.host_key === null ? 'key_unknown' : error.state
      return { ...NOTHING, facts: host.found?.facts ?? null, state, problem: error.message }
    }
  }

  /** Stores what was found, and says in the audit log who asked, and where another key has turned up. */
  async #keep(looked: readonly Looked[], asked: Asked | null): Promise<void> {
    // What is cut off by the end of the service says nothing about machines.
    if (this.#stopped) return
    const { db, audit, onChanged } = this.#options
    await db.transaction(async (trx) => {
      await db.dialect.serialize(trx, 'hosts')
      const all = await readHosts(trx)
      const kept = looked.flatMap(({ host, found }) =>
        found !== null && isSame(host, all.get(host.host_id)) ? { host, found } : [],
      )
      for (const { host, found } of kept) {
        const row = { ...found, checked_at: Date.now() }
        await trx
          .insertInto('host_state')
          .values({ host_id: host.host_id, helper: null, ...row })
          .onConflict((conflict) => conflict.column('host_id').doUpdateSet(row))
          .execute()
      }
      const [one] = looked
      if (asked !== null && one !== undefined) {
        const { host_id, name } = one.host
        await audit.record(trx, { outcome: 'ok', target: name, ...asked, details: { host_id, ...asked.details } })
      }
      for (const { host, found } of kept.filter(isNews)) {
        const details = {
          host_id: host.host_id,
          pinned: shownKey(host.host_key!).fingerprint,
          offered: found.offered_key === null ? null : shownKey(found.offered_key).fingerprint,
        }
        const action = 'host.key_changed'
        await audit.record(trx, { actor: null, action, target: host.name, outcome: 'refused', details })
      }
      // As it is now in the database, so that of two who look at once one tells it.
      for (const { host, found } of kept)
        if (isAnotherBoot(all.get(host.host_id)?.found?.facts ?? null, found.facts)) {
          const details = { host_id: host.host_id }
          await audit.record(trx, { actor: null, action: 'host.restarted', target: host.name, outcome: 'ok', details })
        }
      if (kept.length > 0) await onChanged(trx, kept.length === 1 ? kept[0]!.host.host_id : null)
    })
  }

  /** Nothing is stored any more. To be called before connections end. */
  [Symbol.dispose](): void {
    this.#stopped = true
  }
}

function kept(found: HelperFound): string {
  return JSON.stringify({ ...found, checked_at: iso(Date.now()) } satisfies HostHelper)
}

const NOTHING = { problem: null, latency_ms: null, facts: null, offered_key: null }

/** What there is to compare; null where it is the pinned key, which leaves everything as it was. */
function scanned({ host_key, found }: KnownHost, keys: readonly ScannedKey[]): Found | null {
  if (keys.some(({ key }) => key === host_key)) return null
  const state = host_key === null ? 'key_unknown' : 'key_changed'
  return { ...NOTHING, facts: found?.facts ?? null, state, offered_key: keys[0]!.key }
}

/** Whether it is still the machine that was looked at. */
function isSame(looked: KnownHost, now: KnownHost | undefined): boolean {
  const parts = ['address', 'port', 'account', 'jump_host_id', 'host_key', 'disabled_at'] as const
  return now !== undefined && parts.every((part) => looked[part] === now[part])
}

/** Another host key than the pinned one, for the first time. */
function isNews({ host: { found: before }, found }: { host: KnownHost; found: Found }): boolean {
  const { state, offered_key } = found
  return state === 'key_changed' && (before?.state !== 'key_changed' || before.offered_key !== offered_key)
}

/** Whether neither it nor a machine on the way to it is disabled. */
function isOpen(all: ReadonlyMap<string, KnownHost>, host: KnownHost): boolean {
  return [host, ...wayTo(all, host.host_id)].every(({ disabled_at }) => disabled_at === null)
}
