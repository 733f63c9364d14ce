import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { contract } from '../../contract/index.ts'
import { compileCache } from '../stage/compile-cache.ts'
import {
  mebibytes,
  median,
  ownBytes,
  percentile,
  processorTime,
  report,
  residentBytes,
  startBeside,
} from '../stage/measure.ts'
import { hand } from './figure.ts'
import { openPeople } from '../stage/people.ts'
import { startPostgres } from '../stage/servers/postgres-server.ts'

/**
 * A warm start: until it listens, its first answers, what first uses cost; then at rest, with one open page: memory,
 * processor time, outbound connections; and what the browser loads first.
 */
const ROOT = join(import.meta.dirname, '../..')
const STARTS = 7
const REST_S = Number(process.env['REEVE_BENCH_REST_S'] ?? 60)
const REST_PARTS = 3
const TOKEN = 'measuring-the-start'
// As scripts/start.mjs sets it.
const script: string = new URL('../../scripts/bound-memory.mjs', import.meta.url).href
const { boundMemory } = (await import(script)) as {
  boundMemory(env: Record<string, string>): { env: Record<string, string>; flags: string[] }
}
const bounded = boundMemory({ PATH: process.env['PATH'] ?? '', ...compileCache })
const folder = await mkdtemp(join(tmpdir(), 'reeve-bench-'))

async function start(databaseUrl = '') {
  const begun = performance.now()
  const flags = [...bounded.flags, '--disable-warning=ExperimentalWarning']
  const child = spawn(process.execPath, [...flags, join(ROOT, 'server/main.ts')], {
    env: {
      ...bounded.env,
      NODE_ENV: 'production',
      REEVE_PORT: '0',
      REEVE_DATA_DIR: folder,
      REEVE_DATABASE_URL: databaseUrl,
      REEVE_METRICS_TOKEN: TOKEN,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pid = child.pid!
  let setupLink: string | null = null
  const running = Promise.withResolvers<void>()
  const { url, ...figures } = await new Promise<{ url: string; milliseconds: number; processor: number }>((resolve) => {
    let modules = 0
    createInterface({ input: child.stdout }).on('line', (line) => {
      const entry = JSON.parse(line) as { msg: string; url?: string; setup_link?: string }
      if (entry.setup_link !== undefined) setupLink = entry.setup_link
      if (entry.msg === 'module running' && ++modules === 5) running.resolve()
      if (entry.msg === 'listening')
        resolve({ url: entry.url!, milliseconds: performance.now() - begun, processor: processorTime(pid) })
    })
  })
  const reap = () => child.kill('SIGKILL')
  process.once('exit', reap)
  const exited = new Promise((resolve) => child.once('exit', resolve)).finally(() => process.off('exit', reap))
  return {
    ...figures,
    pid,
    url,
    modulesRunning: running.promise,
    people: openPeople(
      () => url,
      () => setupLink,
    ),
    stop: () => {
      child.kill('SIGTERM')
      return exited
    },
  }
}
type Started = Awaited<ReturnType<typeof start>>

async function taken(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** Milliseconds of what is done for the first time after a start, by its name; in the order in which users do it. */
async function uses({ url, people }: Started): Promise<Record<string, number>> {
  const answer = await taken(() => fetch(`${url}/healthz`).then((response) => response.text()))
  const page = await taken(() => fetch(`${url}/login`).then((response) => response.text()))
  let client = people.anonymous()
  const signIn = await taken(async () => (client = await people.signIn('admin')))
  const list = await taken(() => client.call(contract.chat.listConversations, { query: {} }))
  const command = { message: '/system.host {}', conversation_id: null }
  const turn = await taken(() => client.call(contract.chat.send, { body: command }))
  const modules = await taken(() => client.call(contract.modules.list))
  return { answer, page, 'sign-in': signIn, 'list of conversations': list, 'turn, a command': turn, modules }
}

/** Sockets of the process whose other end is a foreign address. */
async function outbound(pid: number): Promise<number> {
  const inodes = new Set<string>()
  for (const fd of await readdir(`/proc/${pid}/fd`)) {
    const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1]
    if (inode) inodes.add(inode)
  }
  let count = 0
  for (const table of ['tcp', 'tcp6', 'udp', 'udp6']) {
    const lines = (await readFile(`/proc/${pid}/net/${table}`, 'utf8')).trim().split('\n').slice(1)
    for (const line of lines) {
      const [, , remote, , , , , , , inode] = line.trim().split(/\s+/)
      if (inode && inodes.has(inode) && remote && !/^0+:0+$/.test(remote)) count++
    }
  }
  return count
}

/**
 * At rest with one open page, its activity stream and all: from 15 s after the start, REST_PARTS times REST_S seconds. The
 * median of them is told: V8 collects once what a start leaves behind, which is more than a minute of everything else.
 */
async function atRest(name: string, databaseUrl?: string): Promise<Record<string, string>> {
  const idle = await start(databaseUrl)
  await idle.modulesRunning
  await delay(10_000)
  const memoryThen = residentBytes(idle.pid)
  const untouched = `${mebibytes(memoryThen)} (its own: ${mebibytes(ownBytes(idle.pid))})`
  const connections = databaseUrl === undefined ? await outbound(idle.pid) : null
  const client = await idle.people.as('admin')
  const stream = await client.fetch('/api/chat/activity/stream')
  await delay(5000)
  const parts: number[] = []
  for (let i = 0; i < REST_PARTS; i++) {
    const from = processorTime(idle.pid)
    await delay(REST_S * 1000)
    parts.push(((processorTime(idle.pid) - from) / REST_S / 1000) * 100)
  }
  const memory = `${mebibytes(residentBytes(idle.pid))} (its own: ${mebibytes(ownBytes(idle.pid))})`
  const metrics = await fetch(`${idle.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const heap = /^reeve_memory_bytes\{kind="heap"\} (\d+)/m.exec(await metrics.text())?.[1]
  await stream.body?.cancel()
  await idle.stop()
  hand(
    { figure: `start: memory 10 s later, ${name}`, value: memoryThen / 1024 ** 2, unit: 'MiB', aim: '< 110' },
    { figure: `start: processor at rest, ${name}`, value: median(parts), unit: '%', aim: '< 0.5' },
  )
  return {
    [`${name}: memory 10 s after the start, modules running`]: untouched,
    [`${name}: memory with an open page, after ${REST_PARTS * REST_S} s`]: `${memory}, heap ${mebibytes(Number(heap))}`,
    [`${name}: processor at rest with an open page`]: `${median(parts).toFixed(2)} % of one (median of ${parts.map((part) => part.toFixed(2)).join(', ')})`,
    ...(connections !== null && { [`${name}: connections to elsewhere`]: String(connections) }),
  }
}

/** What Node alone takes, for comparison. */
async function bare(program: string): Promise<string> {
  using beside = await startBeside(`${program}; console.log(JSON.stringify({ url: '' }))`)
  await delay(1000)
  return `${mebibytes(residentBytes(beside.child.pid!))} (its own: ${mebibytes(ownBytes(beside.child.pid!))})`
}

try {
  // Twice, because what is first used later is compiled then and cached at the end.
  for (let i = 0; i < 2; i++) {
    const first = await start()
    await first.modulesRunning
    await first.people.as('admin')
    await uses(first)
    await first.stop()
  }
  const starts: { milliseconds: number; processor: number }[] = []
  const firsts: Record<string, number>[] = []
  const seconds: Record<string, number>[] = []
  for (let i = 0; i < STARTS; i++) {
    const run = await start()
    starts.push(run)
    firsts.push(await uses(run))
    seconds.push(await uses(run))
    await run.stop()
  }
  const spread = (figures: number[]) =>
    `${median(figures).toFixed(0)} ms (median of ${STARTS}; ${percentile(figures, 0).toFixed(0)} to ${percentile(figures, 1).toFixed(0)})`
  const of = (runs: Record<string, number>[], name: string) => median(runs.map((run) => run[name]!)).toFixed(1)
  await using postgres = await startPostgres()
  const firstLoad = Number(await readFile(join(ROOT, 'dist/web/.first-load'), 'utf8'))
  hand(
    {
      figure: 'start: listening, warm, median',
      value: median(starts.map(({ milliseconds }) => milliseconds)),
      unit: 'ms',
      aim: '< 400',
    },
    { figure: 'first load of /chat, gzip', value: firstLoad, unit: 'kB', aim: '≤ 170' },
  )
  report('Start', {
    'listening after a warm start': spread(starts.map(({ milliseconds }) => milliseconds)),
    'processor time until then': spread(starts.map(({ processor }) => processor)),
    ...Object.fromEntries(
      Object.keys(firsts[0]!).map((name) => [
        `${name}, at once after the start`,
        `${of(firsts, name)} ms (again: ${of(seconds, name)} ms)`,
      ]),
    ),
    'Node that waits': await bare('setInterval(() => {}, 1e6)'),
    'Node with node:http': await bare(`require('node:http').createServer(() => {}).listen(0, '127.0.0.1')`),
    ...(await atRest('SQLite')),
    ...(await atRest('PostgreSQL', postgres.url)),
    'JavaScript of the first load of /chat': `${firstLoad.toFixed(0)} kB gzip`,
  })
} finally {
  await rm(folder, { recursive: true, force: true })
}
