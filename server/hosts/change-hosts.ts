import { HOST_LIMITS } from '../../contract/host-values.ts'
import type { Caller } from '../../contract/route.ts'
import type { AuditLog } from '../chat/ports/audit-log.ts'
import type { Trx } from '../db/database.ts'
import type { HostTable } from '../db/rows/host-tables.ts'
import { AppError } from '../kernel/app-error.ts'
import { newId } from '../kernel/id.ts'
import { say } from '../kernel/sentence.ts'
import { fold } from '../kernel/text/plain-text.ts'
import { type KnownHost, readHosts, type RemoteWay, theHost, theRemote } from './host-rows.ts'
import { checkJumps } from './jumps.ts'

/** What an administrator says about a machine; `disabled`: nothing connects to it. */
export interface HostChange {
  readonly name: string
  readonly address: string
  readonly port: number
  readonly account: string
  readonly jump_host_id: string | null
  readonly tags: readonly string[]
  readonly disabled: boolean
}
type Audit = Pick<AuditLog, 'record'>

/** If one of these changes, it may be another machine that answers. */
const ELSEWHERE = ['address', 'port', 'account', 'jump_host_id'] as const

/** Stores a new machine. @returns its id @throws {AppError} too_many_hosts, host_exists, host_jump */
export async function addRow(trx: Trx, audit: Audit, caller: Caller, given: Omit<HostChange, 'disabled'>) {
  const all = await readHosts(trx)
  if (all.size >= HOST_LIMITS.hosts)
    throw new AppError('too_many_hosts', say`There can be ${HOST_LIMITS.hosts} machines. Remove one first.`)
  const { tags, ...way } = given
  const host_id = newId('host')
  checkRow([...all.values()], { host_id, ...way })
  const row: HostTable = {
    host_id,
    ...way,
    name_folded: fold(way.name),
    host_key: null,
    pinned_at: null,
    pinned_by: null,
    disabled_at: null,
    created_at: Date.now(),
  }
  await trx.insertInto('host').values(row).execute()
  await writeTags(trx, host_id, tags)
  const details = { host_id, ...way, tags: [...new Set(tags)].sort() }
  await audit.record(trx, { actor: caller, action: 'host.added', target: way.name, outcome: 'ok', details })
  return host_id
}

/**
 * Changes what is given. What was found out under another address is forgotten; the pinned key isn't: a machine that
 * moves keeps it. @throws {AppError} not_found, host_is_local, host_exists, host_jump
 */
export async function updateRow(
  trx: Trx,
  audit: Audit,
  caller: Caller,
  host_id: string,
  given: Partial<HostChange>,
): Promise<void> {
  const all = await readHosts(trx)
  const before = theHost(all, host_id)
  const { tags, disabled, ...way } = given
  if (disabled !== undefined || Object.keys(way).length > 0) {
    const after = { ...wayOf(theRemote(all, host_id)), ...way }
    const others = [...all.values()].filter((other) => other !== before)
    checkRow(others, { host_id, ...after })
    const disabled_at =
      disabled === undefined ? before.disabled_at : disabled ? (before.disabled_at ?? Date.now()) : null
    await trx
      .updateTable('host')
      .set({ ...after, name_folded: fold(after.name), disabled_at })
      .where('host_id', '=', host_id)
      .execute()
    if (ELSEWHERE.some((part) => after[part] !== before[part]))
      await trx.deleteFrom('host_state').where('host_id', '=', host_id).execute()
  }
  if (tags !== undefined) await writeTags(trx, host_id, tags)
  const after = theHost(await readHosts(trx), host_id)
  const details = { host_id, before: toldOf(before), after: toldOf(after) }
  await audit.record(trx, { actor: caller, action: 'host.updated', target: before.name, outcome: 'ok', details })
}

/** @throws {AppError} not_found, host_is_local, host_in_use */
export async function removeRow(trx: Trx, audit: Audit, caller: Caller, host_id: string): Promise<void> {
  const all = await readHosts(trx)
  const { name, address, found } = theRemote(all, host_id)
  const behind = [...all.values()].filter(({ jump_host_id }) => jump_host_id === host_id)
  if (behind.length > 0)
    throw new AppError(
      'host_in_use',
      say`Other machines are reached through this one: ${behind.map((other) => other.name).join(', ')}. Give them another way first.`,
    )
  await trx.deleteFrom('host').where('host_id', '=', host_id).execute()
  const details = { host_id, address, state: found?.state ?? null }
  await audit.record(trx, { actor: caller, action: 'host.removed', target: name, outcome: 'ok', details })
}

/** @throws {AppError} host_exists, host_jump */
function checkRow(
  others: readonly KnownHost[],
  row: { readonly host_id: string; readonly name: string; readonly jump_host_id: string | null },
): void {
  const { name, jump_host_id } = row
  if (others.some(({ name_folded }) => name_folded === fold(name)))
    throw new AppError('host_exists', say`There is already a machine called “${name}”. Choose another name.`)
  if (jump_host_id !== null) checkJumps(others, { ...row, jump_host_id })
}

async function writeTags(trx: Trx, host_id: string, tags: readonly string[]): Promise<void> {
  await trx.deleteFrom('host_tag').where('host_id', '=', host_id).execute()
  const rows = [...new Set(tags)].map((tag) => ({ host_id, tag }))
  if (rows.length > 0) await trx.insertInto('host_tag').values(rows).execute()
}

function wayOf({ name, address, port, account, jump_host_id }: KnownHost & RemoteWay) {
  return { name, address, port, account, jump_host_id }
}

/** For the audit log. */
function toldOf({ name, address, port, account, jump_host_id, tags, disabled_at }: KnownHost) {
  return { name, address, port, account, jump_host_id, tags, disabled: disabled_at !== null }
}
