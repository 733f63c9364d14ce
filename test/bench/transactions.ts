/**
 * The longest transaction of work that concerns thousands of rows, on SQLite, where everybody else waits meanwhile: an
 * import of 30,000 messages, and everything that removes rows.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { contract } from '../../contract/index.ts'
import { startTestApp } from '../stage/app.ts'
import { importFile } from '../stage/documents/import-file.ts'
import { percentile, report } from '../stage/measure.ts'
import { hand } from './figure.ts'

const MESSAGES = Number(process.argv[2] ?? 30_000)
const CONVERSATIONS = 500
const EVENTS = 20_000
const DAY = 24 * 3_600_000
const { chat, accounts } = contract

await using service = await startTestApp({ env: { NODE_ENV: 'production' } })
const { db } = service.app
const admin = await service.as('admin')
const large = await service.as('large')
const other = await service.as('other')

/** Milliseconds that each transaction held the connection, its commit included, and those of the processor in them. */
let held: number[] = []
let worked: number[] = []
const transaction = db.transaction.bind(db)
db.transaction = async (work) => {
  let begun = 0
  let cpu = process.threadCpuUsage()
  try {
    return await transaction((trx) => {
      begun = performance.now()
      cpu = process.threadCpuUsage()
      return work(trx)
    })
  } finally {
    held.push(performance.now() - begun)
    const used = process.threadCpuUsage(cpu)
    worked.push((used.user + used.system) / 1000)
  }
}

const figures: Record<string, string> = {}
const longest: number[] = []
const hardest: number[] = []

/** Does it while somebody else lists conversations all the time. */
async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
  held = []
  worked = []
  const waits: number[] = []
  let over = false
  const bystander = (async () => {
    while (!over) {
      const begun = performance.now()
      await other.call(chat.listConversations, { query: {} })
      waits.push(performance.now() - begun)
    }
  })()
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const begun = performance.now()
  await work()
  const seconds = (performance.now() - begun) / 1000
  over = true
  await bystander
  delay.disable()
  const sum = held.reduce((all, each) => all + each, 0)
  longest.push(Math.max(...held))
  hardest.push(Math.max(...worked))
  figures[what] =
    `longest transaction ${Math.max(...held).toFixed(0)} ms (${Math.max(...worked).toFixed(0)} of the processor), p99 ${percentile(held, 0.99).toFixed(0)} ms, ${held.length} of them, ` +
    `${((sum / 1000 / seconds) * 100).toFixed(0)} % of ${seconds.toFixed(1)} s; event loop held ${(delay.max / 1e6).toFixed(0)} ms at most; ` +
    `a list meanwhile p99 ${percentile(waits, 0.99).toFixed(0)} ms`
}

const file = importFile(MESSAGES, 'Large')
const read = async () => {
  const { conversation_id } = await large.call(chat.importConversation, {
    body: file,
    headers: { 'content-type': 'application/json' },
  })
  return conversation_id
}
let conversation_id = ''
await measure(`import of ${MESSAGES} messages`, async () => (conversation_id = await read()))
await measure('showing another branch of it', async () => {
  const { messages } = await large.call(chat.conversation, { params: { conversation_id }, query: {} })
  const { message_id } = messages[0]!
  await large.call(chat.chooseBranch, { params: { conversation_id }, body: { message_id } })
})
await measure('renaming it', () =>
  large.call(chat.updateConversation, { params: { conversation_id }, body: { title: 'Larger' } }),
)
await measure('removing it for good', async () => {
  await large.call(chat.deleteConversation, { params: { conversation_id } })
  await large.call(chat.purgeConversation, { params: { conversation_id } })
})
await measure(`emptying a bin of ${CONVERSATIONS}`, async () => {
  for (let i = 0; i < CONVERSATIONS; i++) {
    const { conversation_id: own } = await large.call(chat.reset, {})
    await large.call(chat.updateConversation, { params: { conversation_id: own }, body: { title: `No ${i}` } })
    await large.call(chat.deleteConversation, { params: { conversation_id: own } })
  }
  await large.call(chat.emptyBin, {})
})
const { items } = await admin.call(accounts.listUsers, { query: {} })
const { user_id } = items.find(({ username }) => username === 'large')!
await read()
await measure(`pruning ${EVENTS} events`, async () => {
  for (let i = 0; i < EVENTS; i += 100) {
    const events = Array.from({ length: 100 }, () => ({ type: 'module.changed', data: { module: 'x' } }) as const)
    await db.transaction((trx) => service.app.chat.activity.append(trx, user_id, events))
  }
  await service.app.chat.activity.prune(Date.now() + 8 * DAY)
})
await measure('deleting their user', () => admin.call(accounts.deleteUser, { params: { user_id } }))
report('Transactions of large work', figures)
hand(
  { figure: 'longest transaction of large work on SQLite', value: Math.max(...longest), unit: 'ms', aim: '< 50' },
  { figure: 'the same, time of the processor', value: Math.max(...hardest), unit: 'ms', aim: '< 50' },
)
