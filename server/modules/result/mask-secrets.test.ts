import { describe, expect, test } from 'vitest'
import { maskSecrets } from './mask-secrets.ts'

const SECRET = 'pa$$ wörd/+"x"'

describe('a secret is masked', () => {
  test.each([
    ['as it is', SECRET],
    ['in JSON', JSON.stringify({ a: SECRET })],
    ['URL-encoded', `https://x/?a=${encodeURIComponent(SECRET)}`],
    ['as a form', `a=${new URLSearchParams({ a: SECRET }).toString().slice(2)}`],
    ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
    ['in base64', Buffer.from(SECRET).toString('base64')],
    ['in base64 for addresses', Buffer.from(SECRET).toString('base64url')],
    ['behind a name in base64', Buffer.from(`user:${SECRET}`).toString('base64')],
    ['behind another name in base64', Buffer.from(`me:${SECRET}`).toString('base64')],
    ['more than once', `${SECRET} ${SECRET}`],
  ])('%s', (_how, text) => {
    const masked = maskSecrets(`before ${text} after`, [SECRET])
    expect(masked).toContain('[secret]')
    expect(masked).not.toContain(SECRET)
    expect(masked).not.toContain(Buffer.from(SECRET).toString('base64').slice(4, 14))
    expect(masked).toMatch(/^before .* after$/)
  })
  test('line by line, when it is a key of many lines', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\nAAAAAAAAAAAAAAAAAAAA\n-----END KEY-----'
    expect(maskSecrets('read MIIEvQIBADANBgkqhkiG9w0BAQ ok', [key])).toBe('read [secret] ok')
  })
  test('when it is short, only where it stands alone', () => {
    expect(maskSecrets('port 42, code 4242, pin=42', ['42'])).toBe('port [secret], code 4242, pin=[secret]')
  })
})

test('nothing else is', () => {
  expect(maskSecrets('nothing', [])).toBe('nothing')
  expect(maskSecrets('nothing', ['', '  '])).toBe('nothing')
  expect(maskSecrets('a.c abc', ['a.cd'])).toBe('a.c abc')
})
