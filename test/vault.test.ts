import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { loadOrCreateKey, openVault } from '../server/kernel/vault.ts'

const folder = mkdtempSync(join(tmpdir(), 'reeve-vault-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('the key is made once, for the owner only, and nothing else is left in the folder', () => {
  const key = loadOrCreateKey(folder, null)
  expect(key).toHaveLength(32)
  expect(loadOrCreateKey(folder, '')).toEqual(key)
  expect(readdirSync(folder)).toEqual(['secret.key'])
  expect(statSync(join(folder, 'secret.key')).mode & 0o777).toBe(0o600)
})

test('a given key is hexadecimal or base64 of 32 bytes, and is not written down', () => {
  const key = Buffer.alloc(32, 7)
  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    expect(loadOrCreateKey(folder, key.toString(encoding))).toEqual(key)
  }
  for (const wrong of ['secret', '00', `${key.toString('hex')}0`]) {
    expect(() => loadOrCreateKey(folder, wrong)).toThrow(/REEVE_SECRET_KEY.*64 hexadecimal/)
  }
})

test('a damaged key file is told, not replaced', () => {
  loadOrCreateKey(folder, null)
  writeFileSync(join(folder, 'secret.key'), 'half')
  expect(() => loadOrCreateKey(folder, null)).toThrow(/secret\.key in the data folder/)
})

test('one key and purpose give one value; others give others', () => {
  const vault = openVault(Buffer.alloc(32, 1))
  expect(vault.hmac('csrf', 'ses_1')).toBe(openVault(Buffer.alloc(32, 1)).hmac('csrf', 'ses_1'))
  expect(vault.hmac('csrf', 'ses_1')).toMatch(/^[\w-]{43}$/)
  const values = [
    vault.hmac('csrf', 'ses_1'),
    vault.hmac('csrf', 'ses_2'),
    vault.hmac('other', 'ses_1'),
    openVault(Buffer.alloc(32, 2)).hmac('csrf', 'ses_1'),
  ]
  expect(new Set(values).size).toBe(4)
})
