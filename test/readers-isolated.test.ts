import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { DocumentReader } from '../server/files/parse/document-reader.ts'
import { Thumbnails } from '../server/files/preview/thumbnails.ts'
import { openMachine } from '../server/sandbox/machine.ts'
import { layInto, Readers, takeOut, type Reader } from '../server/sandbox/readers.ts'
import sharp from 'sharp'
import { pieces } from './stage/documents/files-fixture.ts'
import { isolationWorks } from './stage/modules/sandbox-stage.ts'
import { cells, openTablesStage, source } from './stage/documents/tables-stage.ts'

let closing = new AsyncDisposableStack()
afterEach(async () => {
  await closing.disposeAsync()
  closing = new AsyncDisposableStack()
})

const machine = openMachine({ node: process.execPath })

/** What a parser that a hostile file has taken over would try; it reports what each attempt gave. */
const ATTACK = `
const { readFileSync, readdirSync, writeFileSync, symlinkSync, linkSync } = require('node:fs')
const { connect } = require('node:net')
const attempt = (work) => { try { return String(work()) } catch (error) { return error.code ?? error.message } }
process.on('message', async ({ secret, port, file, output, folder }) => {
  const network = await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve('connected'))
    socket.once('error', ({ code }) => resolve(code))
  })
  process.send({
    own: attempt(() => readFileSync(file, 'utf8')),
    changed: attempt(() => writeFileSync(file, 'changed')),
    linked: attempt(() => linkSync(file, output + '-2')),
    secret: attempt(() => readFileSync(secret, 'utf8')),
    folder: attempt(() => readdirSync(folder)),
    outside: attempt(() => writeFileSync('/tmp/left', 'x')),
    accounts: attempt(() => readFileSync('/etc/passwd', 'utf8').trim().split('\\n').length),
    processes: attempt(() => readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).length < 8),
    network,
    env: Object.keys(process.env).filter((name) => !/^(NODE_CHANNEL|PWD$|TMPDIR$|SHLVL$|_$)/.test(name)).join(),
    link: attempt(() => symlinkSync(secret, output)),
  })
})
`

function attackers(folder: string): Readers {
  return closing.use(
    new Readers({
      program: {
        script: new URL('../server/tables/jobs/table-worker.ts', import.meta.url),
        options: ['--disable-warning=ExperimentalWarning', '--eval', ATTACK, '--'],
        serialization: 'json',
      },
      machine,
      folder,
      idle_ms: 60_000,
      spare: 2,
    }),
  )
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-readers-'))
  closing.defer(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test.skipIf(!isolationWorks)('a process that reads foreign bytes reaches its input and nothing else', async () => {
  const folder = newFolder()
  const secret = join(folder, 'secret.key')
  const file = join(folder, 'stored')
  writeFileSync(secret, 'the secret')
  writeFileSync(file, 'foreign bytes')
  const server = createServer((socket) => socket.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.defer(() => void server.close())
  const { port } = server.address() as AddressInfo
  process.env['REEVE_TEST_SECRET'] = 'x'
  closing.defer(() => void delete process.env['REEVE_TEST_SECRET'])

  const readers = attackers(folder)
  const reader = readers.take('ann')
  const inside = await layInto(reader.room!, file)
  const output = join(reader.room!.work, 'made')
  const report = new Promise((resolve) => reader.child.once('message', resolve))
  reader.child.send({ secret, port, file: inside, output, folder })
  expect(await report).toEqual({
    own: 'foreign bytes',
    changed: 'EROFS',
    linked: 'EXDEV',
    secret: 'ENOENT',
    folder: expect.stringMatching(/^work-room-[0-9a-f-]+$/) as unknown,
    outside: 'EROFS',
    accounts: '1',
    processes: 'true',
    network: 'ECONNREFUSED',
    env: '',
    link: 'undefined',
  })
  // What it made is taken only if it is a file: a link would show the service's own.
  await expect(takeOut(output, join(folder, 'taken'))).rejects.toThrow('something else than a file')
})

test.skipIf(!isolationWorks)('a process that has read bytes of one person never gets those of another', async () => {
  const readers = attackers(newFolder())
  const hers: Reader = readers.take('ann')
  await readers.release(hers, 'ann')
  const his = readers.take('bob')
  expect(his.child.pid).not.toBe(hers.child.pid)
  expect(readers.take('ann').child.pid).toBe(hers.child.pid)
  await readers.release(his, null)
  expect(readers.take('bob').child.pid).not.toBe(his.child.pid)
})

test.skipIf(!isolationWorks)('tables, documents and pictures are read in there', { timeout: 120_000 }, async () => {
  const stage = closing.use(await openTablesStage())
  const file = source('t.csv', 'a,b\n1,x\n')
  expect(cells(await stage.read(file))).toEqual([[1, 'x']])
  expect(await stage.ask('SELECT count(*) FROM t', { t: file })).toEqual([[1]])

  const documents = closing.use(new DocumentReader({}, machine))
  const html = '<p>Hello</p>'
  expect(await documents.read('ann', 'html', html.length, () => pieces(html))).toMatchObject({ text: 'Hello' })

  const thumbnails = closing.use(await Thumbnails.open({ folder: join(newFolder(), 'thumbnails'), machine }))
  const picture = await sharp({ create: { width: 90, height: 60, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const from = { owner: 'ann', path: null, drawing: false, stream: () => pieces(picture) }
  const made = await thumbnails.get('fil_a', 30, from)
  expect(await sharp(made as Buffer).metadata()).toMatchObject({ format: 'webp', width: 30, height: 20 })
  expect(await thumbnails.get('fil_b', 30, { ...from, stream: () => pieces('no picture') })).toBe('unreadable')
})

test('where bubblewrap does not work, they are read as plain processes', async () => {
  const without = openMachine({ node: process.execPath, bwrap: '/missing/bwrap' })
  const documents = closing.use(new DocumentReader({}, without))
  const html = '<p>Hello</p>'
  expect(await documents.read('ann', 'html', html.length, () => pieces(html))).toMatchObject({ text: 'Hello' })
})
