/**
 * One, two and three processes on one PostgreSQL and one S3 store, on this machine: turns and lists a second, how long an event
 * takes to a stream on the same and on another process, connections to the database, memory. Clients go to the processes in
 * turn: a balancer of the test would be measured with them.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '../../contract/index.ts'
import { openCluster, type Cluster } from '../cluster/open-cluster.ts'
import { query } from '../cluster/watch-runs.ts'
import { openFeed, type Feed } from '../stage/activity-feed.ts'
import { TestClient } from '../stage/client.ts'
import { mebibytes, percentile, report, residentBytes, startBeside } from '../stage/measure.ts'
import { PASSWORD } from '../stage/people.ts'
import { hand } from './figure.ts'

const LOAD_MS = Number(process.env['REEVE_BENCH_SECONDS'] ?? 10) * 1000
const CLIENTS = 12
const CONVERSATIONS = 50
const RENAMES = 150
const MODEL = `
  import('${new URL('../stage/servers/scripted-model.ts', import.meta.url).href}').then(async ({ startScriptedModel }) => {
    const words = Array.from({ length: 20 }, (_, i) => ({ text: 'word' + i + ' ' }))
    const model = await startScriptedModel(() => words)
    console.log(JSON.stringify({ url: model.url }))
  })`

interface Figures {
  readonly turns: number
  readonly lists: number
  readonly same: readonly number[]
  /** Empty with one process. */
  readonly other: readonly number[]
  readonly connections: number
  readonly memory: number
}

/** A client of one process with the session of the administrator. */
async function signIn(cluster: Cluster, at: number): Promise<TestClient> {
  const client = new TestClient(() => `http://127.0.0.1:${cluster.replicas[at]!.port}`)
  const body = { username: 'admin', password: PASSWORD }
  client.csrfToken = (await client.call(contract.accounts.login, { body })).csrf_token
  return client
}

let requests = 0
/** A message, each time from another address: one has 600 a minute. */
function turn(client: TestClient, message: string): Promise<unknown> {
  const address = `10.1.${Math.floor(requests / 250) % 250}.${requests++ % 250}`
  const headers = { 'x-forwarded-for': address }
  return client.call(contract.chat.send, { body: { message, conversation_id: null }, headers })
}

/** How often a second `work` is done by all clients together. */
async function rate(clients: readonly TestClient[], work: (client: TestClient) => Promise<unknown>): Promise<number> {
  let done = 0
  const began = performance.now()
  const end = began + LOAD_MS
  await Promise.all(
    clients.map(async (client) => {
      for (; performance.now() < end; done++) await work(client)
    }),
  )
  return done / ((performance.now() - began) / 1000)
}

/** Milliseconds from asking for a new title until each stream has told of it. */
async function latencies(client: TestClient, feeds: readonly Feed[]): Promise<number[][]> {
  const { conversation_id } = await client.call(contract.chat.reset, { body: {} })
  const all = feeds.map((): number[] => [])
  for (let i = 0; i < RENAMES; i++) {
    const title = `renamed ${i}`
    const began = performance.now()
    await Promise.all([
      client.call(contract.chat.updateConversation, { params: { conversation_id }, body: { title } }),
      ...feeds.map(async (feed, at) => {
        await feed.find((event) => event.type === 'conversation.updated' && event['title'] === title)
        all[at]!.push(performance.now() - began)
      }),
    ])
  }
  return all
}

async function measure(processes: number): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-bench-cluster-'))
  try {
    using model = await startBeside(MODEL)
    await using cluster = await openCluster({ processes, folder, model })
    const clients: TestClient[] = []
    // One after another: so many sign-ins at once of one person look like guessing.
    for (let i = 0; i < CLIENTS; i++) clients.push(await signIn(cluster, i % processes))
    const first = clients[0]!
    for (let i = 0; i < CONVERSATIONS; i++) await turn(first, `hello ${i}`)
    const turns = await rate(clients, (client) => turn(client, 'hello'))
    const lists = await rate(clients, (client) =>
      client.call(contract.chat.listConversations, { query: { limit: CONVERSATIONS } }),
    )
    const feeds = await Promise.all(clients.slice(0, Math.min(processes, 2)).map((client) => openFeed(client)))
    const [same = [], other = []] = await latencies(first, feeds)
    const sql = `select count(*)::int as count from pg_stat_activity
      where backend_type = 'client backend' and application_name <> 'cluster test'`
    const [row] = await query<{ count: number }>(cluster.databaseUrl, sql)
    const memory = percentile(
      cluster.replicas.map(({ pid }) => residentBytes(pid)),
      0.5,
    )
    for (const feed of feeds) await feed[Symbol.asyncDispose]()
    return { turns, lists, same, other, connections: row!.count, memory }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

const all: Figures[] = []
for (const processes of [1, 2, 3]) all.push(await measure(processes))
const both = (times: readonly number[]): string =>
  times.length === 0 ? '–' : `${percentile(times, 0.5).toFixed(1)} / ${percentile(times, 0.95).toFixed(1)} ms`
const rows: Record<string, (of: Figures) => string> = {
  'turns of 20 pieces': ({ turns }) => `${turns.toFixed(0)}/s`,
  [`lists of ${CONVERSATIONS} conversations`]: ({ lists }) => `${lists.toFixed(0)}/s`,
  'event to a stream of the same process, p50 / p95': ({ same }) => both(same),
  'event to a stream of another process, p50 / p95': ({ other }) => both(other),
  'connections to PostgreSQL, all processes': ({ connections }) => String(connections),
  'memory of a process after the load': ({ memory }) => mebibytes(memory),
}
report(
  `Processes on one PostgreSQL, ${CLIENTS} clients`,
  Object.fromEntries(Object.entries(rows).map(([name, of]) => [name, all.map(of).join('   ')])),
)
// As docs/performance.md has it.
process.stdout.write('\n| | 1 process | 2 processes | 3 processes |\n|---|---|---|---|\n')
for (const [name, of] of Object.entries(rows)) process.stdout.write(`| ${name} | ${all.map(of).join(' | ')} |\n`)
const three = all[2]!
hand(
  { figure: '3 processes: turns', value: three.turns, unit: '/s', more: true },
  { figure: '3 processes: lists', value: three.lists, unit: '/s', more: true },
  { figure: '3 processes: event on the same, p95', value: percentile(three.same, 0.95), unit: 'ms' },
  { figure: '3 processes: event on another, p95', value: percentile(three.other, 0.95), unit: 'ms' },
  { figure: '3 processes: connections', value: three.connections, unit: '' },
)
