import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ReadOptions } from '../../modules/machines.ts'
import { listDirectory } from './list-directory.ts'
import { readEach } from './read-each.ts'
import { readFiles } from './read-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'reeve-read-'))
const { signal } = new AbortController()
beforeAll(() => {
  writeFileSync(join(folder, 'letters'), 'abcdefghij')
  writeFileSync(join(folder, 'empty'), '')
  mkdirSync(join(folder, 'logs/deep'), { recursive: true })
  writeFileSync(join(folder, 'logs/a.log'), 'a')
  writeFileSync(join(folder, 'logs/deep/b.log'), 'b')
  symlinkSync('../letters', join(folder, 'logs/link.log'))
  symlinkSync('..', join(folder, 'logs/up'))
  symlinkSync('logs', join(folder, 'also'))
  execFileSync('mkfifo', [join(folder, 'fifo')])
})
afterAll(() => rmSync(folder, { recursive: true }))

async function read(path: string, options: ReadOptions): Promise<string> {
  const found = (await readFiles([path], options, signal)).get(path)
  if (found === undefined) throw new Error('The answer lacks the path.')
  return typeof found === 'string' ? found : `${found.bytes.toString()}${found.cut ? ' …' : ''}`
}

test('the beginning of a file or its end, and whether there is more', async () => {
  const letters = join(folder, 'letters')
  expect(await read(letters, { max: 10 })).toBe('abcdefghij')
  expect(await read(letters, { max: 9 })).toBe('abcdefghi …')
  expect(await read(letters, { max: 3, tail: true })).toBe('hij …')
  expect(await read(letters, { max: 99, tail: true })).toBe('abcdefghij')
  expect(await read(join(folder, 'empty'), { max: 1 })).toBe('')
})

test('files of the kernel, which have no size, in one go or in part', async () => {
  const whole = await read('/proc/self/status', { max: 100_000 })
  expect(whole).toMatch(/^Name:.*\n/)
  expect(whole.length).toBeGreaterThan(500)
  expect(await read('/proc/self/status', { max: 5 })).toBe('Name: …')
  expect(await read('/proc/self/status', { max: 5, tail: true })).toMatch(/^[\s\S]{5} …$/)
})

test.each([
  ['nothing', 'missing'],
  ['letters/below', 'missing'],
  ['logs', 'not_file'],
  ['fifo', 'not_file'],
])('%s is %s, and nothing waits', async (name, problem) => {
  expect(await read(join(folder, name), { max: 1 })).toBe(problem)
})

test.each([['/etc'], ['/proc/self/fd']])('%s is no file', async (path) => {
  expect(await read(path, { max: 1 })).toBe('not_file')
})

test('what the user may not read is denied', async ({ skip }) => {
  if (process.getuid?.() === 0) return skip('Root may read everything.')
  const secret = join(folder, 'secret')
  writeFileSync(secret, 'x')
  chmodSync(secret, 0)
  expect(await read(secret, { max: 1 })).toBe('denied')
})

test('one that fails does not keep the others, and each path is answered', async () => {
  const paths = [join(folder, 'nothing'), '/proc/uptime', join(folder, 'letters'), '/etc/nothing']
  expect([...(await readFiles(paths, { max: 1 }, signal)).keys()].sort()).toEqual(paths.sort())
})

test.each([
  ['a.log', 'a'],
  ['deep/b.log', 'b'],
  ['deep/../a.log', 'a'],
  ['link.log', 'link'],
  ['up/letters', 'link'],
  ['../letters', 'outside'],
  ['/etc/passwd', 'outside'],
  ['..', 'outside'],
  ['.', 'not_file'],
  ['c.log', 'missing'],
])('within a directory, %s is %s', async (path, expected) => {
  expect(await read(path, { max: 10, within: join(folder, 'logs') })).toBe(expected)
  // The directory itself may be reached by a link.
  expect(await read(path, { max: 10, within: join(folder, 'also') })).toBe(expected)
})

test('a stopped call reads nothing', async () => {
  const stopped = AbortSignal.abort()
  await expect(readFiles(['/proc/uptime'], { max: 1 }, stopped)).rejects.toThrow(/abort/)
  await expect(readEach('/proc', { files: [], max: 1 }, stopped)).rejects.toThrow(/abort/)
  await expect(listDirectory('/proc', { max: 1 }, stopped)).rejects.toThrow(/abort/)
})

test('directories are listed, links never followed, and no more than is wanted', async () => {
  const found = await listDirectory(join(folder, 'logs'), { max: 100, deep: true }, signal)
  if (typeof found === 'string') throw new Error(found)
  expect(found.map(({ name, kind }) => `${kind} ${name}`).sort()).toEqual([
    'directory deep',
    'file a.log',
    'file deep/b.log',
    'link link.log',
    'link up',
  ])
  expect(await listDirectory(join(folder, 'logs'), { max: 2, deep: true }, signal)).toHaveLength(2)
  expect(await listDirectory(join(folder, 'logs'), { max: 100 }, signal)).toHaveLength(4)
  expect(await listDirectory(join(folder, 'letters'), { max: 1 }, signal)).toBe('not_directory')
  expect(await listDirectory(join(folder, 'nothing'), { max: 1 }, signal)).toBe('missing')
})

test('the same files of each directory, without what is missing', async () => {
  const self = String(process.pid)
  const all = await readEach(
    '/proc',
    { numbers: true, files: ['comm', 'nothing', 'nothing/below'], links: 'fd', max: 3 },
    signal,
  )
  expect(all.every(({ name }) => /^\d+$/.test(name))).toBe(true)
  const own = all.find(({ name }) => name === self)
  expect(Object.keys(own?.files ?? {})).toEqual(['comm'])
  expect(own?.files['comm']).toHaveLength(3)
  expect(own?.links.length).toBeGreaterThan(3)
  expect(await readEach(join(folder, 'nothing'), { files: [], max: 1 }, signal)).toEqual([])
})
