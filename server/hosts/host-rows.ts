import { LOCAL_HOST } from '../../contract/host-values.ts'
import { type Host, type HostFacts, HostHelper } from '../../contract/hosts.ts'
import { noMachine } from '../chat/ports/usable-host.ts'
import type { Reader } from '../db/database.ts'
import type { HostStateTable, HostTable } from '../db/rows/host-tables.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { iso, isoOrNull } from '../kernel/time.ts'
import { shownFacts } from './host-facts.ts'
import { shownKey } from './shown-key.ts'

/** A machine with its tags in order and what was last found out about it. */
export interface KnownHost extends HostTable {
  readonly tags: readonly string[]
  readonly found: HostStateTable | null
}

/** All machines by id, the local one first, then by name. */
export async function readHosts(db: Reader): Promise<Map<string, KnownHost>> {
  const rows = await db.selectFrom('host').selectAll().orderBy('name_folded').execute()
  const tags = await db.selectFrom('host_tag').selectAll().orderBy('tag').execute()
  const found = await db.selectFrom('host_state').selectAll().execute()
  const tagsOf = Map.groupBy(tags, ({ host_id }) => host_id)
  const foundOf = new Map(found.map((row) => [row.host_id, row]))
  const known = rows.map((row): [string, KnownHost] => [
    row.host_id,
    {
      ...row,
      tags: (tagsOf.get(row.host_id) ?? []).map(({ tag }) => tag),
      found: foundOf.get(row.host_id) ?? null,
    },
  ])
  return new Map(known.sort(([a], [b]) => Number(b === LOCAL_HOST) - Number(a === LOCAL_HOST)))
}

/** @throws {AppError} not_found */
export function theHost(all: ReadonlyMap<string, KnownHost>, host_id: string): KnownHost {
  const host = all.get(host_id)
  if (host === undefined) throw noMachine()
  return host
}

/** One that is reached over SSH. @throws {AppError} not_found, host_is_local */
export function theRemote(all: ReadonlyMap<string, KnownHost>, host_id: string): KnownHost & RemoteWay {
  const host = theHost(all, host_id)
  if (isRemote(host)) return host
  throw new AppError('host_is_local', say`This is the machine that Reeve runs on: it needs no way to it, and stays.`)
}

/** The columns that only the local machine leaves empty. */
export interface RemoteWay {
  readonly address: string
  readonly port: number
  readonly account: string
}

/** Of this machine, what was never noticed is not there: its socket would have been. */
export const NO_HELPER: HostHelper = { state: 'missing', problem: null, allows: [], checked_at: null }

export function helperOf(host: KnownHost): HostHelper | null {
  const { found } = host
  if (found?.helper == null) return isRemote(host) ? null : NO_HELPER
  return HostHelper.parse(JSON.parse(found.helper))
}

function isRemote(host: KnownHost): host is KnownHost & RemoteWay {
  return host.host_id !== LOCAL_HOST
}

/** A machine as it goes over the wire; `own`: what the local one is. */
export function toHost(host: KnownHost, own: HostFacts): Host {
  const { host_id, name, address, port, account, jump_host_id, found, host_key } = host
  return {
    host_id,
    name,
    address,
    port,
    account,
    jump_host_id,
    tags: [...host.tags],
    disabled: host.disabled_at !== null,
    pinned: host_key === null ? null : { ...shownKey(host_key), at: iso(host.pinned_at!), by: host.pinned_by! },
    state: found?.state ?? (!isRemote(host) ? 'ok' : host_key === null ? 'key_unknown' : null),
    problem: found?.problem ?? null,
    offered: found?.offered_key == null ? null : shownKey(found.offered_key),
    latency_ms: found?.latency_ms ?? null,
    facts: !isRemote(host) ? own : found?.facts == null ? null : shownFacts(found.facts),
    helper: helperOf(host),
    checked_at: isRemote(host) ? isoOrNull(found?.checked_at ?? null) : null,
    created_at: isoOrNull(host.created_at),
  }
}
