import { expect, test } from 'vitest'
import { iconReader } from './icons.ts'

const bytes = (hex: string, length = 64) => {
  const all = Buffer.alloc(length)
  Buffer.from(hex, 'hex').copy(all)
  return all
}
/** A PNG as far as its head says: 16 by 16. */
const png = (length = 64, side = '00000010') => bytes(`89504e470d0a1a0a0000000d49484452${side}${side}`, length)
const as = (data: Buffer, type = 'image/png') => ({ src: `data:${type};base64,${data.toString('base64')}` })
const types = (...icons: unknown[]) => iconReader('m')(icons)?.light.media_type ?? null

test.each<[string, Buffer, string]>([
  ['PNG', png(), 'image/png'],
  ['GIF', bytes('47494638396110001000'), 'image/gif'],
  ['WebP', bytes('52494646380000005745425056503858' + '0a00000000000000' + '0f00000f0000'), 'image/webp'],
  ['JPEG', bytes('ffd8ffe000040000' + 'ffc0001108001000100301'), 'image/jpeg'],
])('a %s is what its bytes say, whatever is said of it', (_name, data, type) => {
  expect(types(as(data, 'image/svg+xml'))).toBe(type)
})

test.each<[string, unknown]>([
  ['SVG', as(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), 'image/svg+xml')],
  ['HTML', as(Buffer.from('<html>'), 'image/png')],
  ['an address', { src: 'https://icons.example.com/a.png' }],
  ['an address of the page', { src: '/api/session' }],
  ['too many bytes', as(png(64 * 1024 + 1))],
  ['too large a picture', as(png(64, '00000401'))],
  ['no sides', as(png(64, '00000000'))],
  ['half a head', as(png(20))],
  ['a JPEG without a frame', as(bytes('ffd8ffe00004', 6))],
  ['no text', { src: 7 }],
  ['nothing', null],
])('%s is left out, and what comes after it is taken', (_name, icon) => {
  expect(types(icon)).toBeNull()
  expect(types(icon, as(png()))).toBe('image/png')
})

test('each theme has its own, or what is for any; what is for another theme is better than nothing', () => {
  const [one, two] = [as(png(64)), as(png(65))]
  const read = (...icons: unknown[]) => {
    const found = iconReader('m')(icons)!
    return [found.light, found.dark].map(({ data }) => Buffer.from(data, 'base64').length)
  }
  expect(read({ ...one, theme: 'dark' }, { ...two, theme: 'light' })).toEqual([65, 64])
  expect(read({ ...one, theme: 'dark' }, two)).toEqual([65, 64])
  expect(read({ ...one, theme: 'dark' })).toEqual([64, 64])
  expect(read({ ...one, theme: 'sepia' })).toEqual([64, 64])
})

test('addresses name the content; all of a module have a bound, in which the same one counts once', () => {
  const read = iconReader('m')
  const large = (n: number) => as(Buffer.concat([png(63 * 1024), Buffer.from([n])]))
  expect(read([large(0)])).toEqual(iconReader('m')([large(0)]))
  expect(read([large(0)])!.light.url).toMatch(/^\/api\/modules\/m\/icons\/[0-9a-f]{64}$/)
  const shown = Array.from({ length: 100 }, (_, n) => read([large(n % 50)]) !== null)
  expect(shown.filter(Boolean)).toHaveLength(64)
})

test('no list at all is none', () => {
  for (const icons of [undefined, null, 'x', {}, []]) expect(iconReader('m')(icons)).toBeNull()
})
