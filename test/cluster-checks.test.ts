import { appendFileSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Outcome } from './cluster/check-end.ts'
import { checkRequests } from './cluster/check-requests.ts'
import { History, type RequestEntry } from './cluster/history.ts'
import { runCluster } from './cluster/run-cluster.ts'
import { query } from './cluster/watch-runs.ts'
import { databases } from './stage/servers/postgres.ts'

/** What is broken after a quiet run, each by the invariant that must see it. */
const DAMAGE: Readonly<Record<string, (outcome: Outcome) => Promise<unknown> | void>> = {
  'no call runs twice': ({ ledger }) =>
    appendFileSync(ledger.file, `${readFileSync(ledger.file, 'utf8').split('\n')[0]}\n`),
  'only what was asked for runs': ({ ledger }) => appendFileSync(ledger.file, `E9-1 ${Date.now()}\n`),
  'what was refused does not run': ({ known, ledger }) => {
    known.effects.get(ledger.read()[1]!.mark)!.refused = 'denied'
  },
  'what is off is off everywhere': ({ known, ledger }) => {
    const { mark, at } = ledger.read()[2]!
    known.effects.set(mark, { ...known.effects.get(mark)!, under: 'a test', asked: at })
    known.off.set('a test', [{ from: at, until: at + 1 }])
  },
  'what is said to be done was done': ({ known }) => {
    known.effect('E9-2', null).done = true
  },
  'messages are there': ({ known, databaseUrl }) =>
    query(databaseUrl, 'update message_part set text = $2 where text like $1', [
      `%${acknowledgedOf(known)[0]}%`,
      'lost',
    ]),
  'an idempotency key counts once': ({ known, databaseUrl }) =>
    query(
      databaseUrl,
      `update message_part set text = (select text from message_part where text like $1 and type = 'text' limit 1)
         where text like $2`,
      acknowledgedOf(known)
        .slice(1, 3)
        .map((mark) => `%${mark}%`),
    ),
  'no step is left open': ({ databaseUrl }) =>
    query(databaseUrl, `update step set status = 'running' where step_id = (select min(step_id) from step)`),
  'no call is left open': ({ databaseUrl }) =>
    query(
      databaseUrl,
      `update tool_call set status = 'running' where tool_call_id = (select min(tool_call_id) from tool_call)`,
    ),
  'no card is left open': ({ databaseUrl }) =>
    query(
      databaseUrl,
      `update approval set status = 'pending' where approval_id = (select min(approval_id) from approval)`,
    ),
  'a call has one tool.started': ({ databaseUrl }) => again(databaseUrl, 'tool.started'),
  'a call has one tool.finished': ({ databaseUrl }) => again(databaseUrl, 'tool.finished'),
  'no run fails of what is broken under it': ({ databaseUrl }) =>
    query(
      databaseUrl,
      `update run set status = 'failed', error_code = 'run_failed' where run_id = (select min(run_id) from run)`,
    ),
  'a run ends once': ({ databaseUrl }) => again(databaseUrl, 'run.completed'),
  'decisions are there': ({ known }) => {
    known.decisions.set('apr_lost', 'approve')
  },
  'quick commands are there': ({ known }) => {
    known.commands.set('cmd_lost', { name: 'lost', unknown: false })
  },
  'settings are there': ({ known, users }) => {
    known.settings.set(users[0]!.person.name, ['another'])
  },
  'streams are not crossed': ({ readers }) => {
    const [one, other] = readers.filter(({ reader }) => reader.ids.length > 1)
    one!.reader.ids.unshift(other!.reader.ids[0]!)
  },
  'streams tell everything': ({ readers }) => {
    readers.find(({ reader }) => reader.ids.length > 3)!.reader.ids.splice(1, 1)
  },
  'files are there': ({ known, users }) => {
    known.files.set('fil_lost', { by: users[0]!.person.name, hash: '' })
  },
  'files are as they were': ({ known }) => {
    const [file_id, file] = [...known.files][0]!
    known.files.set(file_id, { ...file, hash: 'another' })
  },
}

function acknowledgedOf({ messages }: Outcome['known']): string[] {
  return [...messages].flatMap(([mark, { acknowledged }]) => (acknowledged && /^[ME]/.test(mark) ? mark : []))
}

function again(databaseUrl: string, type: string): Promise<unknown> {
  return query(
    databaseUrl,
    `insert into event (user_id, conversation_id, run_id, type, data, at)
      select user_id, conversation_id, run_id, type, data, at from event where type = $1 order by id limit 1`,
    [type],
  )
}

test.runIf(databases.some(({ name }) => name === 'postgres'))(
  'what the cluster test checks is seen when it is broken',
  { timeout: 240_000 },
  async () => {
    const run = {
      seed: 'checks',
      processes: 2,
      faults: 1,
      lasts: 30_000,
      pace: 10_000,
      longest: 500,
      users: 4,
      keep: false,
    }
    const { violations, folder } = await runCluster({ ...run, say: () => undefined }, async (outcome) => {
      for (const damage of Object.values(DAMAGE)) await damage(outcome)
    })
    const seen = new Set(violations.map(({ invariant }) => invariant))
    expect(Object.keys(DAMAGE).filter((invariant) => !seen.has(invariant))).toEqual([])
    // And what was left alone holds.
    expect([...seen].filter((invariant) => !(invariant in DAMAGE) && !invariant.startsWith('reeve '))).toEqual([])
    await rm(folder!, { recursive: true, force: true, maxRetries: 5 })
  },
)

test('an answer that must not be given, or comes too late, is seen', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-history-'))
  const history = new History(folder)
  const fine: RequestEntry = {
    at: 1000,
    by: 'ann',
    kind: 'list',
    replica: 1,
    outcome: 'ok',
    status: 200,
    code: null,
    retryAfter: false,
    ms: 100,
  }
  history.faults.push({ at: 20_000, fault: 'freeze', replica: 2, blocks: 24_000, until: 60_000 })
  const wrong: Readonly<Record<string, Partial<RequestEntry>>> = {
    'nothing answers 500': { status: 500, code: 'internal', outcome: 'refused' },
    '503 says when to try again': { status: 503, code: 'stopping', outcome: 'refused' },
    'who is signed in stays so': { status: 401, code: 'not_signed_in', outcome: 'refused' },
    'somebody is ready': { outcome: 'none', status: null, replica: null, at: 25_000 },
    'the others answer within 6 s': { at: 25_000, ms: 6500 },
  }
  history.request(fine)
  // Whoever is frozen itself, what starts a module, and what says when to try again.
  history.request({ ...fine, at: 25_000, ms: 30_000, replica: 2 })
  history.request({ ...fine, at: 25_000, ms: 15_000, kind: 'install' })
  // What was slow before anything was blocked.
  history.request({ ...fine, at: 21_000, ms: 8500 })
  history.request({ ...fine, status: 503, code: 'stopping', outcome: 'refused', retryAfter: true })
  checkRequests(history, [1, 2])
  expect(history.violations).toEqual([])
  for (const entry of Object.values(wrong)) history.request({ ...fine, ...entry })
  checkRequests(history, [1, 2])
  expect(history.violations.map(({ invariant }) => invariant)).toEqual(Object.keys(wrong))
  await history.close()
  await rm(folder, { recursive: true, force: true })
})
