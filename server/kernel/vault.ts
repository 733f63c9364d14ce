import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorProblem } from './operator-problem.ts'

const KEY_BYTES = 32
const KEY_FILE = 'secret.key'

/** Operations derived from the installation's secret key. The key itself never leaves this file. */
export interface Vault {
  /** HMAC-SHA-256 of `text`, base64url, 43 characters. Different purposes never give the same value. */
  hmac(purpose: string, text: string): string
  /**
   * Encrypts `text` (AES-256-GCM) so that only `open` with the same purpose restores it. The result differs each time
   * and consists of `[\w.-]`.
   */
  seal(purpose: string, text: string): string
  /** @throws {SealError} when it was sealed for another purpose or with another key, or is damaged. */
  open(purpose: string, sealed: string): string
  /** The same for bytes, as bytes: `nonce, ciphertext, tag`, 28 more than went in. */
  sealBytes(purpose: string, bytes: Uint8Array): Buffer
  /** @throws {SealError} */
  openBytes(purpose: string, sealed: Uint8Array): Buffer
}

/** A sealed value that cannot be opened here. */
export class SealError extends Error {
  override readonly name = 'SealError'
}

const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Version of the format: `v1.<nonce>.<ciphertext and tag>`, both base64url. */
const SEALED = /^v1\.([\w-]{16})\.([\w-]{22,})$/

export function openVault(key: Buffer): Vault {
  // A separate key: sealing and signing never share one.
  const sealing = Buffer.from(hkdfSync('sha256', key, '', 'reeve sealed values v1', KEY_BYTES))
  function sealBytes(purpose: string, bytes: Uint8Array): Buffer {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(Buffer.from(purpose))
    return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  }

  function openBytes(purpose: string, sealed: Uint8Array): Buffer {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new SealError('This is not a sealed value.')
    const decipher = createDecipheriv('aes-256-gcm', sealing, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(Buffer.from(purpose)).setAuthTag(sealed.subarray(-TAG_BYTES))
    try {
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
    } catch (error) {
      throw new SealError('The sealed value was made for something else, or with another secret key.', {
        cause: error,
      })
    }
  }

  return {
    hmac: (purpose, text) => createHmac('sha256', key).update(`${purpose}\0${text}`).digest('base64url'),
    sealBytes,
    openBytes,
    seal(purpose, text) {
      const sealed = sealBytes(purpose, Buffer.from(text))
      const [nonce, box] = [sealed.subarray(0, NONCE_BYTES), sealed.subarray(NONCE_BYTES)]
      return `v1.${nonce.toString('base64url')}.${box.toString('base64url')}`
    },
    open(purpose, sealed) {
      const [, nonce, box] = SEALED.exec(sealed) ?? []
      if (nonce === undefined || box === undefined) throw new SealError('This is not a sealed value.')
      const bytes = Buffer.concat([Buffer.from(nonce, 'base64url'), Buffer.from(box, 'base64url')])
      return openBytes(purpose, bytes).toString('utf8')
    },
  }
}

/**
 * The secret key: `given`, else the one stored in `folder`; null if there is none. @throws {Error} like
 * `loadOrCreateKey`
 */
export function readKey(folder: string, given: string | null): Buffer | null {
  if (given !== null && given !== '') return parseKey(given, 'REEVE_SECRET_KEY')
  const kept = readIfThere(join(folder, KEY_FILE))
  return kept === null ? null : parseKey(kept, `${KEY_FILE} in the data folder`)
}

/**
 * The secret key: `given` (64 hexadecimal digits, or base64 of 32 bytes), else the one stored in `folder`, which is
 * created on first start and readable only by its owner.
 * @throws {OperatorProblem} when the key does not have 32 bytes.
 */
export function loadOrCreateKey(folder: string, given: string | null): Buffer {
  const there = readKey(folder, given)
  if (there !== null) return there

  const file = join(folder, KEY_FILE)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flush: true })
  chmodSync(draft, 0o600)
  try {
    // A link appears completely or not at all, and fails if another process was first, so all of them then read the
    // same key.
    linkSync(draft, file)
  } catch (error) {
    if (!isFileError(error, 'EEXIST')) throw error
  } finally {
    rmSync(draft)
  }
  return parseKey(readFileSync(file, 'utf8'), `${KEY_FILE} in the data folder`)
}

/** @throws {OperatorProblem} naming `where` the text comes from. */
export function parseKey(text: string, where: string): Buffer {
  const trimmed = text.trim()
  const key = /^[0-9a-f]{64}$/i.test(trimmed)
    ? Buffer.from(trimmed, 'hex')
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)
      ? Buffer.from(trimmed, 'base64')
      : null
  if (key?.length === KEY_BYTES) return key
  throw new OperatorProblem(`The secret key (${where}) must be 64 hexadecimal digits, or 32 bytes in base64.`)
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return null
    throw error
  }
}

function isFileError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
