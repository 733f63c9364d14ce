import { hostname } from 'node:os'
import type { SshKey } from '../../contract/hosts.ts'
import type { Caller } from '../../contract/route.ts'
import type { AuditLog } from '../chat/ports/audit-log.ts'
import type { Database, Reader, Trx } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { newId } from '../kernel/id.ts'
import { say } from '../kernel/sentence.ts'
import { iso } from '../kernel/time.ts'
import type { Vault } from '../kernel/vault.ts'
import { shownKey } from './shown-key.ts'
import type { KeyPair } from './ssh/key-pair.ts'

type Actor = Pick<Caller, 'user_id' | 'username'> | null

/**
 * The Ed25519 key with which Reeve signs in to machines: made when it is first wanted, and two of them while it is being
 * changed, so that each machine can get to know the new one before the old one goes.
 */
export class SshKeys {
  readonly #db: Database
  readonly #vault: Vault
  readonly #audit: Pick<AuditLog, 'record'>

  constructor({ db, vault, audit }: { db: Database; vault: Vault; audit: Pick<AuditLog, 'record'> }) {
    this.#db = db
    this.#vault = vault
    this.#audit = audit
  }

  /** The public keys, the newest first; makes one if there is none. */
  async list(): Promise<SshKey[]> {
    return (await this.#rows()).map(({ key_id, public_key, created_at }, at) => ({
      key_id,
      public_key,
      fingerprint: shownKey(public_key.split(' ')[1]!).fingerprint,
      created_at: iso(created_at),
      newest: at === 0,
    }))
  }

  /** The private keys in OpenSSH's format, the newest first. @throws {SealError} when sealed with another secret key */
  async open(): Promise<string[]> {
    return (await this.#rows()).map(({ key_id, sealed }) => this.#vault.open(purpose(key_id), sealed!))
  }

  /**
   * Adds a second key, or erases the older of two.
   * @throws {AppError} ssh_key_changing, ssh_key_not_changing
   */
  async change(actor: Actor, change: 'begin' | 'end'): Promise<void> {
    await this.#rows()
    const pair = await newPair()
    await this.#db.transaction(async (trx) => {
      await this.#db.dialect.serialize(trx, 'ssh-key')
      const [newest, older] = await inUse(trx)
      if (change === 'begin') {
        if (older !== undefined)
          throw new AppError('ssh_key_changing', say`There are two keys already. End that change first.`)
        await this.#store(trx, pair, actor, 'ssh_key.changing', newest?.key_id)
        return
      }
      if (older === undefined) throw new AppError('ssh_key_not_changing', say`There is only one key.`)
      await trx
        .updateTable('ssh_key')
        .set({ sealed: null, retired_at: Date.now() })
        .where('key_id', '=', older.key_id)
        .execute()
      const details = { retired: older.key_id }
      await this.#audit.record(trx, {
        actor,
        action: 'ssh_key.changed',
        target: newest!.key_id,
        outcome: 'ok',
        details,
      })
    })
  }

  async #rows() {
    const found = await inUse(this.#db.read)
    if (found.length > 0) return found
    const pair = await newPair()
    return this.#db.transaction(async (trx) => {
      await this.#db.dialect.serialize(trx, 'ssh-key')
      // Another process may have been first.
      const now = await inUse(trx)
      return now.length > 0 ? now : [await this.#store(trx, pair, null, 'ssh_key.created')]
    })
  }

  async #store(trx: Trx, { public_key, private_key }: KeyPair, actor: Actor, action: string, beside?: string) {
    const key_id = newId('sshKey')
    const sealed = this.#vault.seal(purpose(key_id), private_key)
    const row = { key_id, public_key, sealed, created_at: Date.now(), retired_at: null }
    await trx.insertInto('ssh_key').values(row).execute()
    const details = { fingerprint: shownKey(public_key.split(' ')[1]!).fingerprint, ...(beside && { beside }) }
    await this.#audit.record(trx, { actor, action, target: key_id, outcome: 'ok', details })
    return row
  }
}

/** Its comment is what an administrator reads in `authorized_keys`. */
async function newPair(): Promise<KeyPair> {
  const { makeKeyPair } = await import('./ssh/key-pair.ts')
  return makeKeyPair(`reeve@${hostname()}`)
}

function inUse(db: Reader) {
  return db
    .selectFrom('ssh_key')
    .selectAll()
    .where('retired_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('key_id', 'desc')
    .execute()
}

function purpose(key_id: string): string {
  return `ssh-key:${key_id}`
}
