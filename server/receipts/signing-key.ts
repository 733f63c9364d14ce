import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { SigningKey } from '../../contract/receipts.ts'
import type { Caller } from '../../contract/route.ts'
import type { AuditLog } from '../chat/ports/audit-log.ts'
import type { Database, Trx } from '../db/database.ts'
import type { SigningKeyTable } from '../db/rows/signing-tables.ts'
import { iso, isoOrNull } from '../kernel/time.ts'
import type { Vault } from '../kernel/vault.ts'

/** A public key with its id, as documents name it. */
export interface PublicKey {
  readonly key_id: string
  readonly pem: string
  readonly key: KeyObject
}
/** The key in use. */
export interface Signer extends PublicKey {
  readonly privateKey: KeyObject
}

type Actor = Pick<Caller, 'user_id' | 'username'> | null

/**
 * The Ed25519 keys of the installation: one is in use, made at first use and exactly once; those before it stay
 * published. Read whenever something is signed, so that a rotation counts at once in every process.
 */
export class SigningKeys {
  readonly #db: Database
  readonly #vault: Vault
  readonly #audit: Pick<AuditLog, 'record'>
  readonly #clock: () => number

  constructor(db: Database, vault: Vault, audit: Pick<AuditLog, 'record'>, clock: () => number = Date.now) {
    this.#db = db
    this.#vault = vault
    this.#audit = audit
    this.#clock = clock
  }

  /** The key in use; makes one if there is none. @throws {SealError} when it was sealed with another secret key */
  async signer(): Promise<Signer> {
    const found = await inUse(this.#db.read)
    const row =
      found ??
      (await this.#db.transaction(async (trx) => {
        await this.#db.dialect.serialize(trx, 'signing-key')
        // Another process may have been first.
        return (await inUse(trx)) ?? this.#make(trx, null, 'signing_key.created')
      }))
    const pem = this.#vault.open(purpose(row.key_id), row.sealed_key!)
    return { ...publicKey(row.public_key), privateKey: createPrivateKey(pem) }
  }

  /** Puts a new key in the place of the one in use, whose private part is erased. @returns the new one's id */
  async rotate(actor: Actor): Promise<{ key_id: string; retired: string | null }> {
    return this.#db.transaction(async (trx) => {
      await this.#db.dialect.serialize(trx, 'signing-key')
      const old = (await inUse(trx)) ?? null
      await trx
        .updateTable('signing_key')
        .set({ in_use: null, sealed_key: null, retired_at: this.#clock() })
        .where('in_use', '=', 1)
        .execute()
      const { key_id } = await this.#make(trx, actor, 'signing_key.rotated', old?.key_id)
      return { key_id, retired: old?.key_id ?? null }
    })
  }

  /** All public keys: the one in use first, then the others, newest first. */
  async published(): Promise<SigningKey[]> {
    await this.signer()
    const rows = await this.#db.read
      .selectFrom('signing_key')
      .select(['key_id', 'public_key', 'created_at', 'retired_at'])
      .orderBy('created_at', 'desc')
      .orderBy('key_id')
      .execute()
    return rows
      .toSorted((a, b) => Number(a.retired_at !== null) - Number(b.retired_at !== null))
      .map(({ key_id, public_key, created_at, retired_at }) => ({
        key_id,
        fingerprint_sha256: fingerprintOf(key_id),
        algorithm: 'Ed25519',
        public_key,
        created_at: iso(created_at),
        retired_at: isoOrNull(retired_at),
      }))
  }

  async #make(trx: Trx, actor: Actor, action: string, replaces?: string): Promise<SigningKeyTable> {
    const pair = generateKeyPairSync('ed25519', {
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
    const { key_id, pem } = publicKey(pair.publicKey)
    const row: SigningKeyTable = {
      key_id,
      public_key: pem,
      sealed_key: this.#vault.seal(purpose(key_id), pair.privateKey),
      in_use: 1,
      created_at: this.#clock(),
      retired_at: null,
    }
    await trx.insertInto('signing_key').values(row).execute()
    const details = replaces === undefined ? {} : { replaces }
    await this.#audit.record(trx, { actor, action, target: key_id, outcome: 'ok', details })
    return row
  }
}

/** Reads a public key in PEM. @throws {Error} when it is none, or not one for Ed25519 */
export function publicKey(pem: string): PublicKey {
  const key = createPublicKey(pem)
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('This is not an Ed25519 key.')
  const key_id = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
  return { key_id, pem: String(key.export({ type: 'spki', format: 'pem' })), key }
}

/** A key id as people compare it: `A1:B2:…`. */
export function fingerprintOf(key_id: string): string {
  return key_id.toUpperCase().replaceAll(/..(?!$)/g, '$&:')
}

function purpose(key_id: string): string {
  return `signing key ${key_id}`
}

function inUse(db: Database['read'] | Trx) {
  return db.selectFrom('signing_key').selectAll().where('in_use', '=', 1).executeTakeFirst()
}
