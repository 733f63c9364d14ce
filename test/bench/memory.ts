import { setTimeout as pause } from 'node:timers/promises'
import sharp from 'sharp'
import { contract } from '../../contract/index.ts'
import type { TestClient } from '../stage/client.ts'
import { mebibytes, report, residentBytes, startBeside } from '../stage/measure.ts'
import { startProcess } from '../stage/process.ts'
import { hand } from './figure.ts'

/**
 * Memory of the service under mixed load: turns, lists, uploads, tables, exports and thumbnails of three people at once.
 * `REEVE_BENCH_MINUTES` says for how long (10); a line for each minute says what it holds.
 */
const MINUTES = Number(process.env['REEVE_BENCH_MINUTES'] ?? 10)
const PEOPLE = 3
const MODEL = `
  import('${new URL('../stage/servers/scripted-model.ts', import.meta.url).href}').then(async ({ startScriptedModel }) => {
    const model = await startScriptedModel(() => Array.from({ length: 50 }, (_, i) => ({ text: 'word' + i + ' ' })))
    console.log(JSON.stringify({ url: model.url }))
  })`

using model = await startBeside(MODEL)
// As scripts/start.mjs sets it, and as the environment of this measurement says otherwise.
const script: string = new URL('../../scripts/bound-memory.mjs', import.meta.url).href
const { boundMemory } = (await import(script)) as {
  boundMemory(env: Record<string, string>): { env: Record<string, string>; flags: string[] }
}
const chosen = Object.entries(process.env).filter(([name]) => /^(MALLOC_|NODE_OPTIONS$)/.test(name))
const bounded = boundMemory(Object.fromEntries(chosen) as Record<string, string>)
const settings = {
  ...bounded.env,
  NODE_OPTIONS: [bounded.env['NODE_OPTIONS'] ?? '', ...bounded.flags].join(' ').trim(),
}
await using server = await startProcess({ model, env: { NODE_ENV: 'production', ...settings } })
const clients = await Promise.all(Array.from({ length: PEOPLE }, (_, i) => server.as(`person${i}`)))
const picture = await sharp({ create: { width: 1600, height: 1200, channels: 3, background: 'teal' } })
  .jpeg()
  .toBuffer()
const rows = Array.from({ length: 20_000 }, (_, i) => `${i},name ${i % 97},${(i * 7919) % 10_007}\n`).join('')

const end = Date.now() + MINUTES * 60_000
let rounds = 0
let refused = 0
let turn = 0

async function upload(client: TestClient, name: string, body: Buffer): Promise<string> {
  const { file } = await client.call(contract.files.upload, { headers: { 'x-file-name': name }, body })
  return file.file_id
}

/** Everything that a person does in a minute, in a few seconds. */
async function round(client: TestClient): Promise<void> {
  await client.call(contract.chat.send, { body: { message: `hello ${turn++}`, conversation_id: null } })
  await (await client.fetch('/api/chat/conversations')).text()
  const table = await upload(client, 'rows.csv', Buffer.from(`id,name,value\n${turn},x,1\n${rows}`))
  const sort = JSON.stringify({ sort: [{ column: 'value', dir: 'desc' }] })
  await client.call(contract.tables.table, { params: { file_id: table }, query: { view: sort } })
  const exported = await client.call(contract.tables.export, { body: { file_id: table } })
  await exported.arrayBuffer()
  const image = await upload(client, 'picture.jpg', Buffer.concat([picture, Buffer.from(String(turn))]))
  await (await client.fetch(`/api/files/${image}/preview?width=300`)).arrayBuffer()
  for (const file_id of [table, image]) await client.call(contract.files.remove, { params: { file_id } })
  rounds++
}

async function work(client: TestClient): Promise<void> {
  while (Date.now() < end) {
    await round(client).catch(() => refused++)
    await pause(200)
  }
}

const samples: number[] = []
async function watch(): Promise<void> {
  while (Date.now() < end) {
    await pause(5000)
    samples.push(residentBytes(server.pid))
    if (samples.length % 12 === 0)
      console.log(`minute ${samples.length / 12}: ${mebibytes(samples.at(-1)!)}, ${rounds} rounds, ${refused} failed`)
  }
}

const before = residentBytes(server.pid)
await Promise.all([...clients.map(work), watch()])
await pause(30_000)
const half = samples.slice(samples.length >> 1)
report(
  `memory over ${MINUTES} minutes of mixed load (${Object.entries(settings)
    .map((pair) => pair.join('='))
    .join(', ')})`,
  {
    'at the start': mebibytes(before),
    'most in the first half': mebibytes(Math.max(...samples.slice(0, samples.length >> 1))),
    'most in the second half': mebibytes(Math.max(...half)),
    'after 30 s of rest': mebibytes(residentBytes(server.pid)),
    rounds: `${rounds}, ${refused} failed`,
  },
)
hand({ figure: `memory under load, most of ${MINUTES} minutes`, value: Math.max(...samples) / 1024 ** 2, unit: 'MiB' })
