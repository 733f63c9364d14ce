import { contract } from '../../contract/index.ts'
import { runAttack } from '../stage/modules/attack-module.ts'
import { begin } from '../stage/chat-stage.ts'
import { percentile, report } from '../stage/measure.ts'
import { startProcess } from '../stage/process.ts'
import { hand } from './figure.ts'
import { until } from '../stage/wait.ts'

/** What a module that misbehaves costs the others: a turn with a built-in, the list of conversations, a call of another module. */
const ROUNDS = 60
const MEMORY_MIB = 512
const READS = { readOnlyHint: true, destructiveHint: false }
const DEEDS = {
  nothing: 'with nothing beside it',
  hang: 'with a module that hangs',
  flood: 'with a module that floods',
  crash: 'with a module that crashes again and again',
  eat: `with a module that eats memory (limit ${MEMORY_MIB} MiB)`,
} as const

await using server = await startProcess({ env: { NODE_ENV: 'production' } })
const admin = await server.as('admin')
const { policy } = await admin.call(contract.modules.policy)
await admin.call(contract.modules.savePolicy, { body: { ...policy, memory_mib: MEMORY_MIB } })
const names = ['good', ...Object.keys(DEEDS).map((deed) => `bad-${deed}`)]
const { role } = await admin.call(contract.accounts.createRole, {
  body: { name: 'measured', rules: names.map((name) => ({ subject: `tool:${name}.*`, effect: 'allow' as const })) },
})
await admin.call(contract.accounts.createUser, {
  body: { username: 'ann', password: 'quiet harbour 47 lanterns', role_id: role.role_id },
})
const ann = await server.signIn('ann')
await runAttack(admin, { name: 'good', tools: [{ name: 'say', annotations: READS }] })

async function turn(message: string): Promise<void> {
  const answer = await ann.call(contract.chat.send, { body: { message, conversation_id: null } })
  if (answer.status !== 200 || answer.body.tool_calls_executed[0]?.status !== 'done') {
    throw new Error(`${message} was not run: ${JSON.stringify(answer.body).slice(0, 500)}`)
  }
}
const WORK = {
  'a turn of /system.host': () => turn('/system.host'),
  'the list of conversations': () => ann.call(contract.chat.listConversations),
  "another module's call": () => turn('/good.say'),
}

async function lastExits(module_name: string): Promise<number> {
  const { module } = await admin.call(contract.modules.diagnostics, { params: { module_name } })
  return module.last_exits.length
}

/** Sets it going, and again whenever it came back: what it does lasts as long as the measuring. */
async function misbehave(deed: string, ended: AbortSignal): Promise<void> {
  const params = { module_name: `bad-${deed}` }
  const call = () => begin(ann, `/bad-${deed}.${deed}`)
  await call()
  if (deed === 'hang' || deed === 'flood') return
  await until(async () => (await lastExits(`bad-${deed}`)) > 0, { timeout: 60_000 })
  void (async () => {
    while (!ended.aborted) {
      const { module } = await admin.call(contract.modules.module, { params })
      if (module.state === 'running') await call()
      // Given up: a person starts it again.
      else if (module.state === 'failed') await admin.call(contract.modules.enable, { params, body: {} })
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })().catch(() => {})
}

/** `deed`: what goes on meanwhile. */
async function measure(deed: string): Promise<Record<string, string>> {
  const figures: Record<string, string> = {}
  for (const [what, work] of Object.entries(WORK)) {
    const times: number[] = []
    for (let i = 0; i < ROUNDS + 5; i++) {
      const from = performance.now()
      await work()
      if (i >= 5) times.push(performance.now() - from)
    }
    hand({ figure: `${what}, ${deed}, p99`, value: percentile(times, 0.99), unit: 'ms' })
    figures[what] = `${percentile(times, 0.5).toFixed(1)} ms p50, ${percentile(times, 0.99).toFixed(1)} ms p99`
  }
  return figures
}

for (const [deed, title] of Object.entries(DEEDS)) {
  const ended = new AbortController()
  if (deed !== 'nothing') {
    await runAttack(admin, { name: `bad-${deed}`, tools: [{ name: deed, annotations: READS }] })
    await misbehave(deed, ended.signal)
  }
  report(`${ROUNDS} times, ${title}`, await measure(title))
  ended.abort()
  if (deed === 'nothing') continue
  const { items } = await ann.call(contract.chat.listConversations)
  for (const { conversation_id } of items.slice(0, 5)) {
    await ann.call(contract.chat.cancel, { body: { conversation_id } }).catch(() => undefined)
  }
  await until(
    async () =>
      admin.call(contract.modules.disable, { params: { module_name: `bad-${deed}` } }).then(
        () => true,
        () => false,
      ),
    { timeout: 30_000 },
  )
}
