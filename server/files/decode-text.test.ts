import { describe, expect, test } from 'vitest'
import { decodeText } from './decode-text.ts'

const russian = 'Привет, мир! Это отчёт за март: 15 % и ещё №7.\n'
const german = 'Größe, Übung, naïve café — „Straße“ 5 €\n'

/** Encodes by asking the decoder what each byte means. */
function toLegacy(encoding: string, text: string): Uint8Array {
  const meaning = new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))
  return Uint8Array.from(Array.from(text), (character) => meaning.indexOf(character))
}
function utf16be(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16()
}
const mark = '\ufeff'

describe('decodeText', () => {
  test.each([
    ['utf-8', Buffer.from(russian), russian],
    ['utf-8', Buffer.from(mark + russian), russian],
    ['utf-16le', Buffer.from(mark + russian, 'utf16le'), russian],
    ['utf-16be', utf16be(mark + russian), russian],
    ['utf-16le', Buffer.from(russian, 'utf16le'), russian],
    ['utf-16be', utf16be(german), german],
    ['windows-1251', toLegacy('windows-1251', russian), russian],
    ['windows-1252', toLegacy('windows-1252', german), german],
    ['windows-1252', toLegacy('windows-1252', 'naïve'), 'naïve'],
    ['utf-8', Buffer.alloc(0), ''],
  ] as const)('%s, case %#', async (encoding, bytes, text) => {
    expect(await decodeText(bytes, false)).toMatchObject({ encoding, text, broken: 0 })
  })

  test('the beginning of a file may end inside a character', async () => {
    for (const bytes of [Buffer.from('да😀'), Buffer.from('да')]) {
      for (let end = bytes.length - 1; end > 0; end--) {
        const decoded = await decodeText(bytes.subarray(0, end), true)
        expect(decoded?.encoding).toBe('utf-8')
        expect('да😀'.startsWith(decoded?.text ?? '?')).toBe(true)
      }
    }
  })

  test('a UTF-8 log with a broken line stays UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from(russian.repeat(10)), Buffer.from([0xd0, 0x0a]), Buffer.from(russian)])
    const decoded = await decodeText(bytes, false)
    expect(decoded).toMatchObject({ encoding: 'utf-8', broken: 1 })
    expect(decoded?.text).toContain(russian)
  })

  test.each([
    ['PNG', Buffer.from('89504e470d0a1a0a0000000d4948445200000001', 'hex')],
    ['ELF', Buffer.concat([Buffer.from('7f454c4602010100', 'hex'), Buffer.alloc(100)])],
    ['every byte', Uint8Array.from({ length: 4096 }, (_, index) => (index * 197) & 255)],
    ['zeros', Buffer.alloc(1000)],
  ])('%s is not text', async (_name, bytes) => expect(await decodeText(bytes, false)).toBeNull())

  test('one zero in a long log is shown, not fatal', async () => {
    expect((await decodeText(Buffer.from(`${'line\n'.repeat(100)}\0end`), false))?.text).toContain('\ufffdend')
  })

  test('colours of a terminal are text', async () => {
    expect((await decodeText(Buffer.from('\x1b[31mred\x1b[0m\n'), false))?.text).toContain('red')
  })
})
