import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { loadOrCreateKey, openVault, SealError } from '../server/kernel/vault.ts'

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

test('what is sealed opens for its purpose and key only, and never looks the same twice', () => {
  const vault = openVault(Buffer.alloc(32, 1))
  for (const text of ['', 'secret', 'pa$$wörd 🔑\n', 'x'.repeat(100_000)]) {
    const sealed = vault.seal('module a', text)
    expect(sealed).toMatch(/^v1\.[\w-]{16}\.[\w-]+$/)
    expect(sealed).not.toBe(vault.seal('module a', text))
    expect(vault.open('module a', sealed)).toBe(text)
    expect(openVault(Buffer.alloc(32, 1)).open('module a', sealed)).toBe(text)
    expect(() => vault.open('module b', sealed)).toThrow(SealError)
    expect(() => openVault(Buffer.alloc(32, 2)).open('module a', sealed)).toThrow(SealError)
    for (let at = 3; at < Math.min(sealed.length, 60); at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A'
      const damaged = sealed.slice(0, at) + other + sealed.slice(at + 1)
      // The last digit of base64 may hold bits that mean nothing.
      if (at === sealed.length - 1) continue
      expect(() => vault.open('module a', damaged)).toThrow(SealError)
    }
  }
  for (const wrong of ['', 'v1', 'v1..', 'v2.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAA', 'v1.AAAAAAAAAAAAAAAA.AAAA']) {
    expect(() => vault.open('module a', wrong)).toThrow(SealError)
  }
})
