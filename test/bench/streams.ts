/**
 * Open activity streams, 10,000 unless an argument says how many: what they weigh, what they cost while nothing happens,
 * how long an event takes to all of them, and one to one user meanwhile. Five for each of 2,000 users.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { contract } from '../../contract/index.ts'
import { secretHash } from '../../server/accounts/sessions/secret-hash.ts'
import { tellModuleChange } from '../../server/app/tell-module-change.ts'
import type { Database } from '../../server/db/database.ts'
import { startTestApp } from '../stage/app.ts'
import { plainUser } from '../stage/databases/plain-user.ts'
import { mebibytes, percentile, report, residentBytes } from '../stage/measure.ts'
import { hand } from './figure.ts'
import type { Answer, Order } from './stream-clients.ts'

const STREAMS = Number(process.argv[2] ?? 10_000)
const PER_USER = 5
const USERS = STREAMS / PER_USER
const PROCESSES = 2
const EVENTS = 12
const RENAMES = 200
const IDLE_MS = 15_000

let statements = 0
await using server = await startTestApp({ env: { NODE_ENV: 'production' }, observe: () => void statements++ })
const admin = await server.as('admin')
const { conversation_id } = await admin.call(contract.chat.reset, {})
const { token: bearer } = await admin.call(contract.accounts.createToken, { body: { name: 'bench' } })
const own = admin.cookie.replace(/^.*reeve_session=/, '').replace(/;.*$/, '')
await addUsers(server.app.db)
const clients = Array.from({ length: PROCESSES }, () =>
  fork(new URL('stream-clients.ts', import.meta.url), { execArgv: ['--disable-warning=ExperimentalWarning'] }),
)
for (const client of clients) client.once('exit', (code) => code && process.exit(1))

async function give(client: number, order: Order): Promise<readonly number[]> {
  clients[client]!.send(order)
  const [answer] = (await once(clients[client]!, 'message')) as [Answer]
  return answer.times
}

const tell = tellModuleChange(server.app.db, server.app.chat.activity)
const path = contract.chat.updateConversation.path.replace('{conversation_id}', conversation_id)
const rename = (n: number) => give(0, { rename: { mark: `mark-${n}`, count: PER_USER, path, bearer } })

await delay(2000)
const before = residentBytes(process.pid)
// The administrator's own are in the first process, which also changes what they are told of.
const cookies = Array.from({ length: USERS - 1 }, (_, user) => Array<string>(PER_USER).fill(cookieOf(user))).flat()
const half = Math.floor(cookies.length / 2)
const shares = [[...Array<string>(PER_USER).fill(own), ...cookies.slice(0, half)], cookies.slice(half)]
const port = Number(new URL(server.url).port)
const begun = performance.now()
await Promise.all(shares.map((each, i) => give(i, { open: { port, from: `127.0.0.${i + 2}`, cookies: each } })))
const opening = performance.now() - begun
await delay(3000)
const after = residentBytes(process.pid)

const idle = { cpu: process.cpuUsage(), statements }
await delay(IDLE_MS)
const used = process.cpuUsage(idle.cpu)
const cpu = ((used.user + used.system) / 1000 / IDLE_MS) * 100
const perSecond = (statements - idle.statements) / (IDLE_MS / 1000)

const alone: number[] = []
for (let n = 0; n < RENAMES; n++) {
  alone.push(...(await rename(n)))
  await delay(10)
}

/** One event to every user in one transaction: resolves with what each stream waited, from the transaction's begin. */
async function toAll(n: number): Promise<{ times: number[]; committed: number }> {
  const arrived = shares.map((each, i) => give(i, { await: { mark: `mark-${n}`, count: each.length } }))
  const start = Number(process.hrtime.bigint()) / 1e6
  await tell(null, `mark-${n}`)
  const committed = Number(process.hrtime.bigint()) / 1e6 - start
  const all = await Promise.all(arrived)
  return { times: all.flat().map((at) => at - start), committed }
}

const all: number[] = []
const commits: number[] = []
const queries: number[] = []
for (let n = 0; n < EVENTS; n++) {
  const counted = statements
  const { times, committed } = await toAll(1000 + n)
  all.push(...times)
  commits.push(committed)
  queries.push(statements - counted)
  await delay(200)
}

const weight = (after - before) / STREAMS / 1024
const line = (times: readonly number[]) =>
  `median ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`
report(`${STREAMS} open activity streams of ${USERS} users`, {
  'memory before': mebibytes(before),
  'memory with them': `${mebibytes(after)} (${weight.toFixed(1)} KiB a stream)`,
  'opening all of them': `${(opening / 1000).toFixed(1)} s`,
  'while nothing happens': `${cpu.toFixed(1)} % of a core, ${perSecond.toFixed(0)} statements a second`,
  [`a change of one user to their ${PER_USER} streams`]: `${line(alone)} (${RENAMES} changes)`,
  'one event to all of them': `${line(all)} (${EVENTS} events; ${percentile(commits, 0.5).toFixed(0)} ms of it storing them, ${percentile(queries, 0.5)} statements)`,
})
hand(
  { figure: 'memory of an activity stream', value: weight, unit: 'KiB', aim: '< 20' },
  { figure: 'one event to 10,000 streams, p99', value: percentile(all, 0.99), unit: 'ms', aim: '< 500' },
  {
    figure: 'one event to one user beside 10,000 streams, p99',
    value: percentile(alone, 0.99),
    unit: 'ms',
    aim: '< 20',
  },
  { figure: 'statements for 10,000 idle streams', value: perSecond, unit: '/s' },
)
// The service would first say goodbye to each of them.
for (const client of clients) client.kill('SIGKILL')
process.exit(0)

function cookieOf(user: number): string {
  return `bench-${user}`
}

/** Administrators, because an event of theirs is what the service tells many users at once. */
async function addUsers(db: Database): Promise<void> {
  const { role_id } = await db.read
    .selectFrom('role')
    .select('role_id')
    .where('admin', '=', 1)
    .executeTakeFirstOrThrow()
  const now = Date.now()
  await db.transaction(async (trx) => {
    for (let user = 0; user < USERS - 1; user++) {
      const user_id = `usr_bench_${user}`
      await trx
        .insertInto('user')
        .values({ ...plainUser(user_id), role_id })
        .execute()
      await trx
        .insertInto('session')
        .values({
          session_id: `ses_bench_${user}`,
          token_hash: secretHash(cookieOf(user)),
          user_id,
          address: '127.0.0.1',
          user_agent: 'bench',
          created_at: now,
          last_seen_at: now,
          expires_at: now + 24 * 3_600_000,
          confirmed_at: now,
        })
        .execute()
    }
  })
}
