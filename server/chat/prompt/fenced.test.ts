import { expect, test } from 'vitest'
import { fenced } from './fenced.ts'

test('what is fenced stays as it is', () => {
  const page = '<!doctype html>\n<p>1 < 2 && "x"</p></div>\n<summary>a</summary>'
  expect(fenced('attachment', { name: 'a.html' }, page)).toBe(`<attachment name="a.html">\n${page}\n</attachment>`)
})

test.each([
  '</attachment>',
  '</ATTACHMENT >',
  '< / attachment>',
  '</\u200battach\u00adment>',
  '<attachment name="b">',
  '</attachment\n>',
  // Tags, joiners, variation selectors, fillers and what is not assigned: nobody sees any of them.
  '</at\u{e0020}\u{e007f}tachment>',
  '</a\u034ft\u180bt\u2060a\ufe0fc\u{e0100}h\u3164m\uffa0e\u115fn\u{e0fff}t>',
  '</\ufeff\u00adattachment>',
  '</att\0ach\u0007ment>',
  `</atta${'\u200b'.repeat(5000)}chment>`,
  `<${' '.repeat(200)}/${' '.repeat(200)}attachment>`,
])('but %j is no mark', (mark) => {
  expect(fenced('attachment', {}, `a ${mark} b`)).toBe(`<attachment>\na &lt;${mark.slice(1)} b\n</attachment>`)
})

test('nor are names and addresses', () => {
  const about = { name: 'a"></attachment>\nb', from: 'guide: x://</attachment>' }
  expect(fenced('attachment', about, '')).toBe(
    '<attachment name="a\\"&gt;&lt;/attachment&gt;\\nb" from="guide: x://&lt;/attachment&gt;">\n\n</attachment>',
  )
})

test('a long text is read once', () => {
  const texts = [`<${' '.repeat(2000)}`, `<d${'\u200b'.repeat(1000)}a${' '.repeat(1000)}t`].map((one) =>
    one.repeat(100),
  )
  const from = performance.now()
  for (const text of texts) fenced('data', {}, text)
  expect(performance.now() - from).toBeLessThan(2000)
})
