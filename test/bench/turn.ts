import { contract } from '../../contract/index.ts'
import { readEvents } from '../stage/event-stream.ts'
import { median, percentile, report, startBeside } from '../stage/measure.ts'
import { startTestApp } from '../stage/app.ts'
import { startProcess } from '../stage/process.ts'
import { hand } from './figure.ts'

/** What a chat turn costs over the bare model endpoint: until the first words, and until the whole answer. */
const TURNS = 200
const WORDS = 20
/** Rules of the role in the second measurement. */
const RULES = 200
/** Turns whose statements are counted. */
const COUNTED = 9
const MODEL = `
  import('${new URL('../stage/servers/scripted-model.ts', import.meta.url).href}').then(async ({ startScriptedModel }) => {
    const words = Array.from({ length: ${WORDS} }, (_, i) => ({ text: 'word' + i + ' ' }))
    const model = await startScriptedModel(() => words)
    console.log(JSON.stringify({ url: model.url }))
  })`

interface Turn {
  readonly first: number
  readonly whole: number
}

using model = await startBeside(MODEL)
await using server = await startProcess({ model, env: { NODE_ENV: 'production' } })
const admin = await server.as('admin')

async function bareTurn(): Promise<Turn> {
  const begun = performance.now()
  const response = await fetch(`${model.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'scripted', stream: true, messages: [{ role: 'user', content: 'hello' }] }),
  })
  let first = 0
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    if (first === 0 && chunk.includes('word0')) first = performance.now() - begun
  }
  return { first, whole: performance.now() - begun }
}

const firstDelta: { arrived: ((at: number) => void) | null } = { arrived: null }
const stream = await admin.fetch('/api/chat/activity/stream')
void (async () => {
  for await (const event of readEvents(stream)) {
    if (event.event !== 'run.delta') continue
    firstDelta.arrived?.(performance.now())
    firstDelta.arrived = null
  }
})().catch(() => {})

async function reeveTurn(): Promise<Turn> {
  const arrived = new Promise<number>((resolve) => (firstDelta.arrived = resolve))
  const begun = performance.now()
  const [at] = await Promise.all([
    arrived,
    admin.call(contract.chat.send, { body: { message: 'hello', conversation_id: null } }),
  ])
  return { first: at - begun, whole: performance.now() - begun }
}

/** Each turn is the first of a conversation: one that grows would measure its length. */
async function measure(): Promise<{ readonly bare: Turn[]; readonly reeve: Turn[] }> {
  const bare: Turn[] = []
  const reeve: Turn[] = []
  for (let i = 0; i < TURNS + 20; i++) {
    const pair = [await bareTurn(), await reeveTurn()] as const
    if (i < 20) continue
    bare.push(pair[0])
    reeve.push(pair[1])
  }
  return { bare, reeve }
}

/** Gives the role of the administrator rules with conditions about a tool that every step lists. */
async function addRules(): Promise<void> {
  const { items } = await admin.call(contract.accounts.listRoles)
  const rules = Array.from({ length: RULES }, (_, i) => ({
    subject: i % 2 === 0 ? 'tool:system.run_command' : 'tool:system.*',
    effect: 'deny' as const,
    when: [{ argv: { program: '/command', args: '/args' }, tokens: [`program-${i}`, { operands: true as const }] }],
  }))
  const { role_id } = items.find((role) => role.admin)!
  await admin.call(contract.accounts.updateRole, { params: { role_id }, body: { rules } })
}

const { bare, reeve } = await measure()
await addRules()
const ruled = await measure()
const between = (turns: { readonly bare: Turn[]; readonly reeve: Turn[] }, of: keyof Turn) =>
  turns.reeve.map((turn, i) => turn[of] - turns.bare[i]![of])
const difference = (of: keyof Turn) => between({ bare, reeve }, of)
const line = (figures: number[]) =>
  `${median(figures).toFixed(1)} ms median, ${percentile(figures, 0.95).toFixed(1)} ms p95`

/** What the database does for a turn, and how often it must be on disk: in this process, where it can be counted. */
async function countStatements(): Promise<{ statements: number; commits: number }> {
  const seen: string[] = []
  await using counted = await startTestApp({ model, observe: (sql) => void seen.push(sql) })
  const client = await counted.as('admin')
  const counts: { statements: number; commits: number }[] = []
  for (let i = 0; i < COUNTED; i++) {
    seen.length = 0
    await client.call(contract.chat.send, { body: { message: 'hello', conversation_id: null } })
    const commits = seen.filter((sql) => sql === 'commit').length
    counts.push({ statements: seen.length - commits, commits })
  }
  return {
    statements: median(counts.map((each) => each.statements)),
    commits: median(counts.map((each) => each.commits)),
  }
}

const { statements, commits } = await countStatements()
report(`A turn of ${WORDS} pieces, ${TURNS} times`, {
  'first words, bare endpoint': line(bare.map((turn) => turn.first)),
  'first words, added by Reeve': line(difference('first')),
  'whole answer, bare endpoint': line(bare.map((turn) => turn.whole)),
  'whole answer, added by Reeve': line(difference('whole')),
  [`whole answer, added by Reeve with ${RULES} rules`]: line(between(ruled, 'whole')),
  'of the database': `${statements} statements in ${commits} commits (begin and commit not counted)`,
})
hand(
  { figure: 'turn: added to the first words, median', value: median(difference('first')), unit: 'ms', aim: '≤ 4' },
  { figure: 'turn: added to the whole answer, median', value: median(difference('whole')), unit: 'ms', aim: '≤ 5' },
  {
    figure: `turn: added to the whole answer with ${RULES} rules, median`,
    value: median(between(ruled, 'whole')),
    unit: 'ms',
    aim: '≤ 5',
  },
  { figure: 'turn: statements', value: statements, unit: '', aim: '≤ 30' },
  { figure: 'turn: commits', value: commits, unit: '', aim: '≤ 2' },
)
