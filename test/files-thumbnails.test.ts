import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterEach, expect, test } from 'vitest'
import { Thumbnails, type ThumbnailsOptions } from '../server/files/preview/thumbnails.ts'
import { pieces } from './stage/documents/files-fixture.ts'
import { until } from './stage/wait.ts'

let closing = new AsyncDisposableStack()
afterEach(async () => {
  await closing.disposeAsync()
  closing = new AsyncDisposableStack()
})

async function start(options: Partial<ThumbnailsOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-thumbnails-'))
  closing.defer(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'left-by-a-crash.part'), 'x')
  const thumbnails = closing.use(await Thumbnails.open({ folder, ...options }))
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const make = (width: number, height = width) =>
    sharp({ create: { width, height, channels: 3, background: 'red', noise } })
      .jpeg()
      .toBuffer()
  /** Counts how often the bytes were asked for: each time is a thumbnail made. */
  let made = 0
  const sourceOf = (bytes: Uint8Array) => ({
    owner: 'ann',
    path: null,
    drawing: false,
    stream: () => {
      made++
      return pieces(bytes)
    },
  })
  return { folder, thumbnails, make, sourceOf, made: () => made }
}

test('a process that is killed is replaced, also in the middle of its work', async () => {
  const { thumbnails, make, sourceOf } = await start()
  const large = sourceOf(await make(1500))
  expect(await thumbnails.get('fil_a', 100, large)).toBeInstanceOf(Buffer)
  const first = thumbnails.pid!
  process.kill(first, 'SIGKILL')
  await until(() => thumbnails.pid !== first)
  const next = thumbnails.get('fil_b', 100, large)
  await until(() => thumbnails.pid !== undefined)
  process.kill(thumbnails.pid!, 'SIGKILL')
  expect(await next).toBeInstanceOf(Buffer)
  expect(thumbnails.pid).not.toBe(first)
})

test('what takes too long ends with its process, and the next one is made', async () => {
  const { thumbnails, make, sourceOf } = await start({ job_ms: 1500 })
  const small = sourceOf(await make(50))
  await thumbnails.get('fil_a', 20, small)
  const { pid } = thumbnails
  // A stopped process is one that hangs.
  process.kill(pid!, 'SIGSTOP')
  expect(await thumbnails.get('fil_b', 20, small)).toBe('too_large')
  expect(await thumbnails.get('fil_c', 20, small)).toBeInstanceOf(Buffer)
  expect(thumbnails.pid).not.toBe(pid)
})

test('the oldest thumbnails go when the room is used up, and those of a file that is gone', async () => {
  const { thumbnails, make, sourceOf, made, folder } = await start({ size: 6000 })
  const source = sourceOf(await make(200))
  const names = async () => (await readdir(folder)).sort()
  expect(await names()).toEqual([])
  await thumbnails.get('fil_a', 50, source)
  await thumbnails.get('fil_b', 50, source)
  await thumbnails.get('fil_a', 50, source)
  expect(made()).toBe(2)
  for (const id of ['fil_c', 'fil_d', 'fil_e', 'fil_f', 'fil_g', 'fil_h']) {
    await thumbnails.get(id, 50, source)
    await thumbnails.get('fil_a', 50, source)
  }
  const sizes = await Promise.all((await names()).map(async (name) => (await readFile(join(folder, name))).byteLength))
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(6000)
  expect(await names()).toContain('fil_a.50.webp')
  expect(await names()).not.toContain('fil_b.50.webp')
  await thumbnails.forget('fil_a')
  expect(await names()).not.toContain('fil_a.50.webp')
  const before = made()
  await rm(join(folder, 'fil_h.50.webp'))
  expect(await thumbnails.get('fil_h', 50, source)).toBeInstanceOf(Buffer)
  expect(made()).toBe(before + 1)
})

test('more pixels than allowed are not decoded', async () => {
  const { thumbnails, make, sourceOf } = await start({ pixels: 10_000 })
  expect(await thumbnails.get('fil_a', 50, sourceOf(await make(101)))).toBe('too_large')
  expect(await thumbnails.get('fil_b', 50, sourceOf(await make(100)))).toBeInstanceOf(Buffer)
  expect(await thumbnails.get('fil_c', 50, sourceOf(Buffer.from('no image')))).toBe('unreadable')
})
