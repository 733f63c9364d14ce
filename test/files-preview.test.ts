import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'

let app: TestApp
let ann: TestClient
beforeAll(async () => {
  app = await startTestApp()
  await app.as('admin')
  ann = await app.as('ann')
})
afterAll(() => app[Symbol.asyncDispose]())

const canvas = (width = 300, height = 200) =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 30, b: 60 } } })

async function upload(name: string, body: Uint8Array | string, client = ann): Promise<string> {
  const headers = { 'x-file-name': encodeURIComponent(name) }
  return (await client.call(contract.files.upload, { headers, body: Buffer.from(body) })).file.file_id
}
const preview = (file_id: string, query = '', init: RequestInit = {}, client = ann): Promise<Response> =>
  client.fetch(`/api/files/${file_id}/preview${query}`, init)
const code = async (response: Response): Promise<unknown> => [
  response.status,
  ((await response.json()) as { code?: string }).code,
]

/** The smallest of each: two by two pixels, 24 bits, as its format wants. */
function bmp(): Buffer {
  const bytes = Buffer.alloc(70)
  bytes.write('BM')
  bytes.writeUInt32LE(70, 2)
  bytes.writeUInt32LE(54, 10)
  bytes.writeUInt32LE(40, 14)
  bytes.writeInt32LE(2, 18)
  bytes.writeInt32LE(2, 22)
  bytes.writeUInt16LE(1, 26)
  bytes.writeUInt16LE(24, 28)
  return bytes
}
async function ico(): Promise<Buffer> {
  const png = await canvas(16, 16).png().toBuffer()
  const head = Buffer.alloc(22)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(1, 4)
  head.set([16, 16, 0, 0, 1, 0, 32, 0], 6)
  head.writeUInt32LE(png.length, 14)
  head.writeUInt32LE(22, 18)
  return Buffer.concat([head, png])
}
const svg =
  '<?xml version="1.0"?>\n<!-- a drawing -->\n<!DOCTYPE svg>\n<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><script>alert(1)</script><rect width="300" height="200" fill="red"/></svg>'
const pdf = '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n'

describe('a preview', () => {
  test.each([
    ['png', 'image/png', () => canvas().png().toBuffer()],
    ['jpg', 'image/jpeg', () => canvas().jpeg().toBuffer()],
    ['JPEG', 'image/jpeg', () => canvas().jpeg().toBuffer()],
    ['gif', 'image/gif', () => canvas().gif().toBuffer()],
    ['webp', 'image/webp', () => canvas().webp().toBuffer()],
    ['avif', 'image/avif', () => canvas().avif().toBuffer()],
    ['bmp', 'image/bmp', () => Promise.resolve(bmp())],
    ['ico', 'image/vnd.microsoft.icon', ico],
    ['svg', 'image/svg+xml', () => Promise.resolve(Buffer.from(svg))],
    ['pdf', 'application/pdf', () => Promise.resolve(Buffer.from(pdf))],
  ])('of .%s is the file itself as %s', async (extension, type, make) => {
    const bytes = await make()
    const response = await preview(await upload(`Bild „1“.${extension}`, bytes))
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': type,
      'content-length': String(bytes.length),
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'content-disposition': expect.stringMatching(/^inline; filename="/),
      'accept-ranges': 'bytes',
    })
    expect(response.headers.get('content-disposition')).toContain(
      `filename*=UTF-8''Bild%20%E2%80%9E1%E2%80%9C.${extension}`,
    )
    if (extension === 'svg')
      expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'.*; sandbox$/)
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
  })

  test('of anything else, and of what is something else than its name says, is refused', async () => {
    const png = await canvas().png().toBuffer()
    const html = '<html><script>alert(1)</script></html>'
    const files: [string, Uint8Array | string][] = [
      ['a.txt', 'text'],
      ['a.html', html],
      ['a.xml', svg],
      ['a.tiff', await canvas().tiff().toBuffer()],
      ['README', 'text'],
      ['a.jpg', png],
      ['a.png', html],
      ['a.bmp', 'BM<script>alert(1)</script>'],
      ['a.ico', Buffer.from([0, 0, 1, 0])],
      ['a.avif', `\0\0\0\x18ftypmp42${'x'.repeat(40)}`],
      ['a.pdf', html],
      ['a.svg', html],
      ['b.svg', `<!-- <svg> --><html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>`],
      ['c.svg', `<!doctype html [<!ENTITY a "]>">]><html><svg></svg></html>`],
      ['d.svg', ''],
      ['a.svgz', png],
    ]
    for (const [name, bytes] of files)
      for (const query of ['', '?width=100'])
        expect([name, await code(await preview(await upload(name, bytes), query))]).toEqual([name, [415, 'no_preview']])
  })

  test('can be read in parts, as a download can', async () => {
    const file_id = await upload('a.pdf', pdf)
    const size = pdf.length
    for (const path of ['preview', 'download']) {
      const ask = async (range: string, more: Record<string, string> = {}) => {
        const response = await ann.fetch(`/api/files/${file_id}/${path}`, { headers: { range, ...more } })
        return [response.status, response.headers.get('content-range'), await response.text()] as const
      }
      expect(await ask('bytes=0-7')).toEqual([206, `bytes 0-7/${size}`, '%PDF-1.4'])
      expect(await ask('bytes=9-')).toEqual([206, `bytes 9-${size - 1}/${size}`, pdf.slice(9)])
      expect(await ask('bytes=-6')).toEqual([206, `bytes ${size - 6}-${size - 1}/${size}`, '%%EOF\n'])
      expect(await ask('bytes=-100000')).toEqual([206, `bytes 0-${size - 1}/${size}`, pdf])
      expect(await ask('bytes=5-100000')).toEqual([206, `bytes 5-${size - 1}/${size}`, pdf.slice(5)])
      for (const whole of ['bytes=0-1,3-4', 'bytes=5-2', 'lines=1-2', 'bytes=-', 'bytes=a-b'])
        expect(await ask(whole)).toEqual([200, null, pdf])
      expect(await ask('bytes=0-7', { 'if-range': '"x"' })).toEqual([200, null, pdf])
      for (const outside of [`bytes=${size}-`, 'bytes=100000-100001', 'bytes=-0']) {
        const [status, range, text] = await ask(outside)
        expect([status, range, (JSON.parse(text) as { code: string }).code]).toEqual([
          416,
          `bytes */${size}`,
          'range_not_satisfiable',
        ])
      }
    }
    const head = await ann.fetch(`/api/files/${file_id}/preview`, { method: 'HEAD', headers: { range: 'bytes=0-7' } })
    expect([head.status, head.headers.get('content-length')]).toEqual([206, '8'])
  })

  test("is refused by rules, and somebody else's or a deleted file has none", async () => {
    const admin = await app.as('admin')
    const file_id = await upload('a.png', await canvas().png().toBuffer())
    expect(await code(await preview(file_id, '', {}, await app.as('ben')))).toEqual([404, 'not_found'])
    const { items } = await admin.call(contract.accounts.listRoles)
    const role = items.find(({ name }) => name === 'user')!
    const params = { role_id: role.role_id }
    for (const [effect, answer] of [
      ['ask', [409, 'approval_required']],
      ['deny', [403, 'forbidden']],
    ] as const) {
      await admin.call(contract.accounts.updateRole, { params, body: { rules: [{ subject: 'files.read', effect }] } })
      for (const query of ['', '?width=64']) expect(await code(await preview(file_id, query))).toEqual(answer)
    }
    await admin.call(contract.accounts.updateRole, { params, body: { rules: [] } })
    await ann.call(contract.files.remove, { params: { file_id } })
    expect(await code(await preview(file_id))).toEqual([404, 'not_found'])
    await ann.call(contract.files.restore, { params: { file_id } })
    expect((await preview(file_id)).status).toBe(200)
    await ann.call(contract.files.remove, { params: { file_id }, query: { forever: 'true' } })
    await expect(ann.call(contract.files.restore, { params: { file_id } })).rejects.toMatchObject({ status: 404 })
  })
})

describe('a thumbnail', () => {
  test.each([
    ['png', () => canvas().png().toBuffer()],
    ['jpg', () => canvas().jpeg().toBuffer()],
    ['gif', () => canvas().gif().toBuffer()],
    ['webp', () => canvas().webp().toBuffer()],
    ['avif', () => canvas().avif().toBuffer()],
    ['svg', () => Promise.resolve(Buffer.from(svg))],
  ])('of .%s is as wide as asked for', async (extension, make) => {
    const file_id = await upload(`thumb.${extension}`, await make())
    for (const [width, expected] of [
      [90, 90],
      [16, 16],
      [2048, 300],
    ] as const) {
      const response = await preview(file_id, `?width=${width}`)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
      const { width: got, format } = await sharp(Buffer.from(await response.arrayBuffer())).metadata()
      expect([format, got]).toEqual(['webp', expected])
    }
  })

  test('is upright, made once for many who ask at once, and has no data of the camera', async () => {
    const bytes = await canvas()
      .withExif({ IFD0: { Copyright: 'secret place' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    const file_id = await upload('camera.jpg', bytes)
    const answers = await Promise.all(Array.from({ length: 8 }, () => preview(file_id, '?width=100')))
    const made = await Promise.all(answers.map(async (answer) => Buffer.from(await answer.arrayBuffer())))
    for (const each of made) expect(each.equals(made[0]!)).toBe(true)
    const { width, height, exif } = await sharp(made[0]).metadata()
    expect([width, height, exif]).toEqual([100, 150, undefined])
    const kept = await readdir(join(app.dataFolder, 'thumbnails'))
    expect(kept.filter((name) => name.endsWith('.100.webp'))).toHaveLength(1)
    expect(kept.filter((name) => name.endsWith('.part'))).toEqual([])
  })

  test('is refused for wrong widths, damaged and huge pictures, and PDF; BMP comes as it is', async () => {
    const png = await canvas().png().toBuffer()
    const file_id = await upload('a.png', png)
    for (const width of ['15', '2049', 'a', '1e2', '-5', '20.5'])
      expect([width, (await preview(file_id, `?width=${width}`)).status]).toEqual([width, width === '1e2' ? 200 : 422])
    const none = [415, 'no_preview']
    expect(await code(await preview(await upload('broken.png', png.subarray(0, png.length / 2)), '?width=64'))).toEqual(
      none,
    )
    expect(await code(await preview(await upload('a.pdf', pdf), '?width=64'))).toEqual(none)
    const bomb = Buffer.from(png)
    // 60,000 × 60,000 pixels, as its header says.
    bomb.writeUInt32BE(60_000, 16)
    bomb.writeUInt32BE(60_000, 20)
    expect(await code(await preview(await upload('bomb.png', bomb), '?width=64'))).toEqual(none)
    const wide =
      '<svg xmlns="http://www.w3.org/2000/svg" width="100000" height="100000"><rect width="9" height="9"/></svg>'
    expect(await code(await preview(await upload('wide.svg', wide), '?width=64'))).toEqual(none)
    const laughs = Array.from({ length: 12 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')
    const bombSvg = `<!DOCTYPE svg [<!ENTITY l0 "ha">${laughs}]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&l12;</text></svg>`
    expect((await preview(await upload('laughs.svg', bombSvg), '?width=64')).status).toBe(415)
    const bitmap = await preview(await upload('a.bmp', bmp()), '?width=64')
    expect([bitmap.status, bitmap.headers.get('content-type')]).toEqual([200, 'image/bmp'])
    expect((await preview(file_id, '?width=64')).status).toBe(200)
  })

  test('of a drawing shows no other file', async () => {
    const neighbour = join(app.dataFolder, 'thumbnails')
    const path = `file://${neighbour}/x.png`
    const text = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="60" height="60"><image width="60" height="60" xlink:href="${path}"/></svg>`
    await canvas(60, 60).png().toFile(join(neighbour, 'x.png'))
    const response = await preview(await upload('reader.svg', text), '?width=64')
    const { data } = await sharp(Buffer.from(await response.arrayBuffer()))
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect(data.every((byte) => byte === 0)).toBe(true)
  })
})
