import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseOsRelease } from './os-release.ts'

test('values are read as a shell would', () => {
  const text = `# comment\nNAME="Debian GNU/Linux"\nID=debian\nVERSION='12 (bookworm)'\nODD="a \\"b\\" \\$c \\\\d \\\`e"\nEMPTY=\nopen="x\nID_LIKE="rhel fedora"\r\n`
  expect(parseOsRelease(text)).toEqual({
    NAME: 'Debian GNU/Linux',
    ID: 'debian',
    VERSION: '12 (bookworm)',
    ODD: 'a "b" $c \\d `e',
    EMPTY: '',
    ID_LIKE: 'rhel fedora',
  })
})

test('whatever a machine says, it is bounded', () => {
  const line = fc.oneof(
    fc.string(),
    fc.tuple(fc.stringMatching(/^[A-Z_]{1,70}$/), fc.string({ unit: 'binary' })).map((pair) => pair.join('=')),
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 100 }), (lines) => {
      const found = Object.entries(parseOsRelease(lines.join('\n')))
      expect(found.length).toBeLessThanOrEqual(64)
      for (const [key, value] of found) expect(key.length + value.length).toBeLessThanOrEqual(464)
    }),
  )
  expect(parseOsRelease(`NAME="${'x'.repeat(100_000)}"`)['NAME']?.length).toBe(400)
})
