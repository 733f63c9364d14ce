import { setTimeout as sleep } from 'node:timers/promises'
import { contract } from '../../contract/index.ts'
import { ProblemAnswer } from '../stage/client.ts'
import type { Acknowledged } from './acknowledged.ts'
import type { History } from './history.ts'
import type { Ledger } from './ledger.ts'
import type { Person } from './person.ts'
import type { Reader } from './reader.ts'
import type { UserTraffic } from './user-traffic.ts'
import { query } from './watch-runs.ts'

/** A lease, taking over, and the work. */
const REST_LIMIT_MS = 30_000 + 5000 + 15_000
/** Files that are read back at most; the newest. */
const FILES_READ = 200
const UNFINISHED = `status in ('thinking', 'acting')`

export interface Outcome {
  readonly databaseUrl: string
  readonly history: History
  readonly known: Acknowledged
  readonly ledger: Ledger
  readonly users: readonly UserTraffic[]
  readonly readers: readonly { readonly person: Person; readonly reader: Reader }[]
}

/** Nothing is broken and nobody asks for anything any more: all runs come to rest. */
export async function awaitRest({ databaseUrl, history }: Outcome): Promise<void> {
  const end = performance.now() + REST_LIMIT_MS
  for (;;) {
    const rows = await query<{ run_id: string; status: string; lease_owner: string | null }>(
      databaseUrl,
      `select run_id, status, lease_owner from run where ${UNFINISHED}`,
    )
    if (rows.length === 0) return
    if (performance.now() > end) {
      for (const { run_id, status, lease_owner } of rows)
        history.violation('every run ends', `${run_id} is ${status}, in the hands of ${lease_owner}`)
      return
    }
    await sleep(500)
  }
}

/** What was acknowledged is there, and what ran, ran once and with leave. */
export async function checkEnd(outcome: Outcome): Promise<void> {
  checkLedger(outcome)
  await checkMessages(outcome)
  await checkRuns(outcome)
  await checkDecisions(outcome)
  await checkCommands(outcome)
  await checkSettings(outcome)
  await checkStreams(outcome)
  await checkFiles(outcome)
}

function checkLedger({ history, known, ledger }: Outcome): void {
  const effects = Map.groupBy(ledger.read(), ({ mark }) => mark)
  for (const [mark, times] of effects) {
    const wanted = known.effects.get(mark)
    if (times.length > 1) history.violation('no call runs twice', `${mark} ran ${times.length} times`)
    if (wanted === undefined) {
      history.violation('only what was asked for runs', mark)
      continue
    }
    if (wanted.refused !== null) history.violation('what was refused does not run', `${mark} (${wanted.refused}) ran`)
    for (const { from, until } of known.off.get(wanted.under ?? '') ?? [])
      for (const { at } of times)
        if (wanted.asked >= from && at < until)
          history.violation(
            'what is off is off everywhere',
            `${mark} under ${wanted.under} ran ${at - from} ms after that was acknowledged`,
            history.atOf(at),
          )
  }
  for (const [mark, { done }] of known.effects)
    if (done && !effects.has(mark)) history.violation('what is said to be done was done', mark)
}

async function checkMessages({ databaseUrl, history, known }: Outcome): Promise<void> {
  const sent = await query<{ text: string }>(
    databaseUrl,
    `select text from message_part join message using (message_id) where role = 'user' and type = 'text'`,
  )
  const queued = await query<{ text: string }>(databaseUrl, 'select message as text from queued_message')
  const counts = new Map<string, number>()
  for (const { text } of [...sent, ...queued]) {
    const mark = /[MEQ]\d+-\d+/.exec(text)?.[0] ?? text
    counts.set(mark, (counts.get(mark) ?? 0) + 1)
  }
  for (const [mark, { by, acknowledged }] of known.messages) {
    const count = counts.get(mark) ?? 0
    if (acknowledged && count === 0) history.violation('messages are there', `${mark} of ${by} is gone`)
    if (count > 1) history.violation('an idempotency key counts once', `${mark} of ${by} is there ${count} times`)
  }
}

async function checkRuns({ databaseUrl, history }: Outcome): Promise<void> {
  const look = async (invariant: string, sql: string): Promise<void> => {
    for (const row of await query(databaseUrl, sql)) history.violation(invariant, JSON.stringify(row))
  }
  const ended = `select run_id from run where status not in ('thinking', 'acting', 'waiting_approval')`
  await look(
    'no step is left open',
    `select step_id, run_id from step where status = 'running' and run_id in (${ended})`,
  )
  await look(
    'no call is left open',
    `select tool_call_id, status from tool_call where status in ('pending', 'running', 'awaiting_approval') and run_id in (${ended})`,
  )
  await look(
    'no card is left open',
    `select approval_id from approval where status = 'pending' and run_id in (${ended})`,
  )
  for (const [type, most] of [
    ['tool.started', 1],
    ['tool.finished', 1],
  ] as const)
    await look(
      `a call has one ${type}`,
      `select data::json ->> 'tool_call_id' as call, count(*) from event where type = '${type}' group by 1 having count(*) > ${most}`,
    )
  await look(
    'no run fails of what is broken under it',
    `select run_id, error_code, error_detail from run where status = 'failed' and error_code in ('run_failed', 'internal')`,
  )
  await look(
    'a run ends once',
    `select run_id, count(*) from event where type in ('run.completed', 'run.failed', 'run.cancelled', 'run.interrupted')
       group by 1 having count(*) > 1`,
  )
}

async function checkDecisions({ databaseUrl, history, known }: Outcome): Promise<void> {
  const rows = await query<{ approval_id: string; decision: string | null }>(
    databaseUrl,
    'select approval_id, decision from approval',
  )
  const stored = new Map(rows.map(({ approval_id, decision }) => [approval_id, decision]))
  for (const [approval_id, decision] of known.decisions)
    if (stored.get(approval_id) !== decision)
      history.violation('decisions are there', `${approval_id}: ${decision} became ${stored.get(approval_id)}`)
}

async function checkCommands({ databaseUrl, history, known }: Outcome): Promise<void> {
  const rows = await query<{ command_id: string; name: string }>(databaseUrl, 'select command_id, name from command')
  const stored = new Map(rows.map(({ command_id, name }) => [command_id, name]))
  for (const [command_id, { name, unknown }] of known.commands)
    if (!unknown && (stored.get(command_id) ?? null) !== name)
      history.violation('quick commands are there', `${command_id}: ${name} became ${stored.get(command_id)}`)
}

async function checkSettings({ history, known, users }: Outcome): Promise<void> {
  for (const { person } of users) {
    const again = { againFor: 30_000 }
    const { personal_prompt } = await person.ask('read setting', contract.accounts.preferences, {}, again)
    const possible = known.settings.get(person.name) ?? ['']
    if (!possible.includes(personal_prompt))
      history.violation('settings are there', `${person.name}: “${personal_prompt}”, not one of ${possible.join(', ')}`)
  }
}

/** Everybody was told all of their own, and nothing of others. */
async function checkStreams({ databaseUrl, history, readers }: Outcome): Promise<void> {
  for (const { person, reader } of readers) {
    const rows = await query<{ id: string; mine: boolean; type: string }>(
      databaseUrl,
      `select event.id, username = $1 as mine, type from event join "user" using (user_id) where event.id > $2`,
      [person.name, reader.start],
    )
    const mine = new Set(rows.filter((row) => row.mine).map(({ id }) => Number(id)))
    const others = new Set(rows.filter((row) => !row.mine).map(({ id }) => Number(id)))
    const last = Math.max(reader.start, ...mine)
    const end = performance.now() + 20_000
    while (reader.cursor < last && performance.now() < end) await sleep(100)
    await reader.stop()
    const told = new Set(reader.ids)
    for (const id of told) if (others.has(id)) history.violation('streams are not crossed', `${person.name}: ${id}`)
    const missed = [...mine].filter((id) => !told.has(id))
    if (missed.length > 0)
      history.violation(
        'streams tell everything',
        `${person.name} missed ${missed.length} of ${mine.size}: ${missed.slice(0, 10).join(', ')} (reset ${reader.resets} times)`,
      )
  }
}

async function checkFiles({ history, users, known }: Outcome): Promise<void> {
  const byName = new Map(users.map((user) => [user.person.name, user]))
  for (const [file_id, { by }] of [...known.files].slice(-FILES_READ))
    await byName
      .get(by)!
      .compare(file_id)
      .catch((error: unknown) => {
        // One that is gone is told already; one that nobody gives is not there either.
        if (error instanceof ProblemAnswer && error.code === 'not_found') return
        history.violation('files are there', `${file_id} of ${by}: ${String(error)}`)
      })
}
