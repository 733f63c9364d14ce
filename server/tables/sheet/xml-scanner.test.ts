import fc from 'fast-check'
import { expect, test } from 'vitest'
import { XmlScanner } from './xml-scanner.ts'
import { xmlAttributes, xmlText } from './xml-text.ts'

function scan(pieces: readonly string[]): string[] {
  const seen: string[] = []
  const scanner = new XmlScanner({
    open: (name, attributes) =>
      seen.push(`<${name}${[...xmlAttributes(attributes)].map(([key, value]) => ` ${key}=${value}`).join('')}>`),
    close: (name) => seen.push(`</${name}>`),
    text: (text, escaped) => seen.push(escaped ? xmlText(text) : text),
  })
  for (const piece of pieces) scanner.push(piece)
  scanner.end()
  return seen
}

const DOCUMENT = `<?xml version="1.0"?><!-- a > b <c> --><x:a b='1>"2' x:c = "&lt;&#x41;" ><d/><e f="/"/>te&amp;xt<![CDATA[<raw>&amp;]]></x:a >`

test('a document is the same wherever it is cut in pieces', () => {
  const whole = scan([DOCUMENT])
  expect(whole).toEqual(['<a b=1>"2 x:c=<A>', '<d>', '</d>', '<e f=/>', '</e>', 'te&xt', '<raw>&amp;', '</a>'])
  fc.assert(
    fc.property(fc.array(fc.nat(DOCUMENT.length), { maxLength: 12 }), (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), DOCUMENT.length]
      expect(scan(places.slice(1).map((to, i) => DOCUMENT.slice(places[i], to)))).toEqual(whole)
    }),
  )
})

test('whatever comes, it ends or is refused with a sentence', () => {
  const piece = fc.string({
    unit: fc.constantFrom('<', '>', '/', '!', '-', '[', 'CDATA[', ']]>', '"', "'", '=', ' ', 'a', '?', '&', 'x:'),
    maxLength: 30,
  })
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
      try {
        scan(pieces)
      } catch (error) {
        expect(error).toMatchObject({ name: 'TableError', code: 'unreadable' })
      }
    }),
    { numRuns: 500 },
  )
})
