import { LOCAL_HOST } from '../../contract/host-values.ts'
import type { Host, HostFacts } from '../../contract/hosts.ts'
import type { Caller } from '../../contract/route.ts'
import type { JudgedHost } from '../chat/ports/hosts.ts'
import type { AuditLog } from '../chat/ports/audit-log.ts'
import type { Database, Trx } from '../db/database.ts'
import { addRow, type HostChange, removeRow, updateRow } from './change-hosts.ts'
import { type KnownHost, readHosts, theHost, theRemote, toHost } from './host-rows.ts'
import { type GivenKey, pinRow } from './pin-host.ts'

export interface HostsOptions {
  readonly db: Database
  readonly audit: Pick<AuditLog, 'record'>
  /** Tells whoever sees a machine that it has changed; null: several. The last thing in a transaction. */
  readonly onChanged: (trx: Trx, host_id: string | null) => Promise<void>
  /** Which machines the caller may use. */
  readonly mayUse: (caller: Caller) => Promise<(host: JudgedHost) => boolean>
  /** A change has been committed: nothing may know less from now on. */
  readonly changed: () => Promise<unknown>
  /** What the machine is that Reeve runs on: the same as long as this process runs. */
  readonly ownFacts: () => Promise<HostFacts>
  /** Ends the connection to a machine: what it was made with has changed. */
  readonly forget: (host_id: string) => void
}

const MADE_BY_SCRIPT = /^(?!(?:root|reeve-op)$)[a-z_][a-z0-9_-]{0,30}$/

/** The machines that are administered. Whoever may use one sees it. */
export class Hosts {
  readonly #options: HostsOptions

  constructor(options: HostsOptions) {
    this.#options = options
  }

  async list(caller: Caller): Promise<Host[]> {
    const all = await readHosts(this.#options.db.read)
    const own = await this.#options.ownFacts()
    const may = await this.#options.mayUse(caller)
    return [...all.values()].filter((host) => may(judged(host))).map((host) => toHost(host, own))
  }

  /** @throws {AppError} not_found */
  async read(caller: Caller, host_id: string): Promise<Host> {
    const all = await readHosts(this.#options.db.read)
    const may = await this.#options.mayUse(caller)
    const host = all.get(host_id)
    const seen = host !== undefined && may(judged(host)) ? host_id : ''
    return toHost(theHost(all, seen), await this.#options.ownFacts())
  }

  /** @throws as `addRow` */
  add(caller: Caller, given: Omit<HostChange, 'disabled'>): Promise<Host> {
    return this.#change((trx) => addRow(trx, this.#options.audit, caller, given))
  }

  /** @throws as `updateRow` */
  async update(caller: Caller, host_id: string, given: Partial<HostChange>): Promise<Host> {
    const host = await this.#change(async (trx) => {
      await updateRow(trx, this.#options.audit, caller, host_id, given)
      return host_id
    })
    const { tags: _, name: __, ...connected } = given
    if (Object.keys(connected).length > 0) this.#options.forget(host_id)
    return host
  }

  /** @throws as `removeRow` */
  async remove(caller: Caller, host_id: string): Promise<void> {
    const { db, audit, onChanged, forget } = this.#options
    await db.transaction(async (trx) => {
      await db.dialect.serialize(trx, 'hosts')
      await removeRow(trx, audit, caller, host_id)
      await onChanged(trx, host_id)
    })
    await this.#options.changed()
    forget(host_id)
  }

  /** @throws as `pinRow` */
  async pin(caller: Caller, host_id: string, given: GivenKey): Promise<Host> {
    const host = await this.#change(async (trx) => {
      await pinRow(trx, this.#options.audit, caller, host_id, given)
      return host_id
    })
    this.#options.forget(host_id)
    return host
  }

  /**
   * What the setup script is told about a machine. An account that is there already, or that it needs itself, is not one
   * for it to make. @throws {AppError} not_found, host_is_local
   */
  async placeOf(host_id: string): Promise<{ port: number; account?: string; forwards: boolean }> {
    const all = await readHosts(this.#options.db.read)
    const { port, account } = theRemote(all, host_id)
    const forwards = [...all.values()].some(({ jump_host_id }) => jump_host_id === host_id)
    return { port, forwards, ...(MADE_BY_SCRIPT.test(account) && { account }) }
  }

  /** Ends all connections: they were made with a key that is not the only one any more, or is none. */
  async forgetAll(): Promise<void> {
    for (const host_id of (await readHosts(this.#options.db.read)).keys()) this.#options.forget(host_id)
  }

  async #change(work: (trx: Trx) => Promise<string>): Promise<Host> {
    const { db, onChanged, ownFacts } = this.#options
    const own = await ownFacts()
    const changed = await db.transaction(async (trx) => {
      // Names, the way of one through another, and how many there are is a matter of all rows.
      await db.dialect.serialize(trx, 'hosts')
      const host_id = await work(trx)
      const host = toHost(theHost(await readHosts(trx), host_id), own)
      await onChanged(trx, host_id)
      return host
    })
    await this.#options.changed()
    return changed
  }
}

function judged({ host_id, name, tags }: KnownHost): JudgedHost {
  return { name, tags, local: host_id === LOCAL_HOST }
}
