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
  const text = `<${' '.repeat(2000)}`.repeat(100)
  const from = performance.now()
  fenced('data', {}, text)
  expect(performance.now() - from).toBeLessThan(2000)
})
