import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fill, openSmallDisk } from '../../../test/stage/machines/small-disk.ts'
import { writeWhole } from './write-whole.ts'

const { signal } = new AbortController()
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const bytes = (text: string) => Buffer.from(text)
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reeve-write-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Whatever the outcome, nothing else is left behind. */
function left(...names: string[]): void {
  expect(readdirSync(folder).sort()).toEqual(names.sort())
}

test('a new file, where there is to be none', async () => {
  const path = join(folder, 'new')
  const hash = hashOf('first')
  expect(await writeWhole(path, bytes('first'), { if_hash: null }, signal)).toEqual({ kind: 'written', hash })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(await writeWhole(path, bytes('second'), { if_hash: null }, signal)).toEqual({ kind: 'changed', hash })
  expect(readFileSync(path, 'utf8')).toBe('first')
  left('new')
})

test('another content for a file that is as expected, with its mode or a given one', async () => {
  const path = join(folder, 'file')
  writeFileSync(path, 'old', { mode: 0o640 })
  const written = { kind: 'written', hash: hashOf('new') }
  expect(await writeWhole(path, bytes('new'), { if_hash: hashOf('old') }, signal)).toEqual(written)
  expect(statSync(path).mode & 0o777).toBe(0o640)
  expect(await writeWhole(path, bytes('new'), { if_hash: hashOf('new'), mode: 0o755 }, signal)).toEqual(written)
  expect(statSync(path).mode & 0o777).toBe(0o755)
  left('file')
})

test('one that is otherwise, or gone, is left alone', async () => {
  const path = join(folder, 'file')
  expect(await writeWhole(path, bytes('new'), { if_hash: hashOf('old') }, signal)).toEqual({
    kind: 'changed',
    hash: null,
  })
  writeFileSync(path, 'foreign')
  const changed = { kind: 'changed', hash: hashOf('foreign') }
  expect(await writeWhole(path, bytes('new'), { if_hash: hashOf('old') }, signal)).toEqual(changed)
  expect(readFileSync(path, 'utf8')).toBe('foreign')
  left('file')
})

test('links, directories and missing folders are refused by name', async () => {
  writeFileSync(join(folder, 'file'), 'old')
  symlinkSync('file', join(folder, 'link'))
  mkdirSync(join(folder, 'directory'))
  const why = async (name: string) => {
    const outcome = await writeWhole(join(folder, name), bytes('x'), { if_hash: hashOf('old') }, signal)
    return outcome.kind === 'failed' ? outcome.why : outcome.kind
  }
  expect(await why('link')).toBe('link')
  expect(await why('directory')).toBe('not_file')
  expect(await why('file/below')).toBe('missing')
  expect(await writeWhole(join(folder, 'no/file'), bytes('x'), { if_hash: null }, signal)).toMatchObject({
    kind: 'failed',
    why: 'missing',
  })
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('old')
  left('file', 'link', 'directory')
})

test('a stopped call writes nothing', async () => {
  const outcome = await writeWhole(join(folder, 'new'), bytes('x'), { if_hash: null }, AbortSignal.abort())
  expect(outcome).toMatchObject({ kind: 'lost', lost: 'not_started' })
  left()
})

test('a full disk changes nothing', async ({ skip }) => {
  using disk = openSmallDisk(4)
  if (disk === null) return skip('This account may not mount a small disk.')
  const path = join(disk.path, 'file')
  writeFileSync(path, 'old')
  await fill(join(disk.path, 'filler'))
  const outcome = await writeWhole(path, Buffer.alloc(100_000), { if_hash: hashOf('old') }, signal)
  expect(outcome).toMatchObject({ kind: 'failed', why: 'full' })
  expect(readFileSync(path, 'utf8')).toBe('old')
  expect(readdirSync(disk.path).sort()).toEqual(['file', 'filler'])
})
