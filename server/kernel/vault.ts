import { createHmac, randomBytes } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const KEY_BYTES = 32
const KEY_FILE = 'secret.key'

/** What is derived from the installation's secret key. The key itself never leaves this file. */
export interface Vault {
  /** HMAC-SHA-256 of `text`, base64url, 43 characters. Different purposes never give the same value. */
  hmac(purpose: string, text: string): string
}

export function openVault(key: Buffer): Vault {
  return {
    hmac: (purpose, text) => createHmac('sha256', key).update(`${purpose}\0${text}`).digest('base64url'),
  }
}

/**
 * The secret key: `given` (64 hexadecimal digits, or base64 of 32 bytes), else the one kept in `folder`, which is made on
 * first start and readable by the owner only.
 * @throws {Error} with a sentence for the operator when the key does not have 32 bytes.
 */
export function loadOrCreateKey(folder: string, given: string | null): Buffer {
  if (given !== null && given !== '') return parseKey(given, 'REEVE_SECRET_KEY')
  const file = join(folder, KEY_FILE)
  const kept = readIfThere(file)
  if (kept !== null) return parseKey(kept, `${KEY_FILE} in the data folder`)

  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flush: true })
  chmodSync(draft, 0o600)
  try {
    // A link appears whole or not at all, and fails where another process was first: all of them then read one key.
    linkSync(draft, file)
  } catch (error) {
    if (!isFileError(error, 'EEXIST')) throw error
  } finally {
    rmSync(draft)
  }
  return parseKey(readFileSync(file, 'utf8'), `${KEY_FILE} in the data folder`)
}

function parseKey(text: string, where: string): Buffer {
  const trimmed = text.trim()
  const key = /^[0-9a-f]{64}$/i.test(trimmed)
    ? Buffer.from(trimmed, 'hex')
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)
      ? Buffer.from(trimmed, 'base64')
      : null
  if (key?.length === KEY_BYTES) return key
  throw new Error(`The secret key (${where}) must be 64 hexadecimal digits, or 32 bytes in base64.`)
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
