import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { Reader } from '../../server/db/database.ts'

const FINISHED = ['done', 'failed', 'cancelled', 'interrupted']
const ENDED = ['done', 'denied', 'failed', 'cancelled', 'unknown']
const LAST_EVENT: Record<string, string> = {
  done: 'run.completed',
  failed: 'run.failed',
  cancelled: 'run.cancelled',
  interrupted: 'run.interrupted',
}

/** Everything that the tables hold about one run. */
export async function readRun(read: Reader, run_id: string) {
  const run = await read.selectFrom('run').selectAll().where('run_id', '=', run_id).executeTakeFirstOrThrow()
  const message_id = run.output_message_id
  return {
    run,
    steps: await read.selectFrom('step').selectAll().where('run_id', '=', run_id).execute(),
    calls: await read.selectFrom('tool_call').selectAll().where('run_id', '=', run_id).orderBy('part_index').execute(),
    cards: await read.selectFrom('approval').selectAll().where('run_id', '=', run_id).execute(),
    message: await read
      .selectFrom('message')
      .selectAll()
      .where('message_id', '=', message_id)
      .executeTakeFirstOrThrow(),
    parts: await read
      .selectFrom('message_part')
      .selectAll()
      .where('message_id', '=', message_id)
      .orderBy('part_index')
      .execute(),
    events: await read.selectFrom('event').selectAll().where('run_id', '=', run_id).orderBy('id').execute(),
  }
}

/**
 * What holds of every run that came to an end, whatever failed on the way: nothing of it is open, what streams told is
 * what the history says, and every call began and ended at most once.
 */
export async function expectClosed(read: Reader, run_id: string): Promise<Awaited<ReturnType<typeof readRun>>> {
  const ledger = await readRun(read, run_id)
  const { run, steps, calls, cards, message, parts, events } = ledger
  expect(FINISHED).toContain(run.status)
  expect(run).toMatchObject({ lease_owner: null, ended_at: expect.any(Number) as number })
  expect(message.status).toBe(run.status === 'done' ? 'complete' : run.status)
  expect(steps.filter((step) => step.status === 'running')).toEqual([])
  expect(cards.filter((card) => card.status === 'pending')).toEqual([])
  expect(parts.map((part) => part.part_index)).toEqual(parts.map((_, i) => i))

  const about = (type: string, call: string) =>
    events.filter(
      (event) => event.type === type && (JSON.parse(event.data) as { tool_call_id?: string }).tool_call_id === call,
    )
  for (const call of calls) {
    expect(ENDED).toContain(call.status)
    expect(about('tool.started', call.tool_call_id)).toHaveLength(call.started_at === null ? 0 : 1)
    expect(about('tool.finished', call.tool_call_id)).toHaveLength(1)
  }
  expect(events.filter((event) => event.type === 'run.started')).toHaveLength(1)
  const ends = events.filter((event) => Object.values(LAST_EVENT).includes(event.type))
  expect(ends.map((event) => event.type)).toEqual([LAST_EVENT[run.status]])
  expect(toldText(events)).toEqual(parts.filter((part) => part.type === 'text').map((part) => part.text))
  return ledger
}

/** The text parts of an answer as somebody has them who only read its events. */
function toldText(events: readonly { type: string; data: string }[]): string[] {
  const told = new Map<number, string>()
  for (const event of events) {
    if (event.type !== 'run.delta') continue
    const { index, from, part, text } = JSON.parse(event.data) as {
      index: number
      from: number
      part: string
      text: string
    }
    if (part !== 'text') continue
    const before = told.get(index) ?? ''
    expect(from).toBe(before.length)
    told.set(index, before + text)
  }
  return [...told].sort(([a], [b]) => a - b).map(([, text]) => text)
}

/** How often a command left its line in `file`. */
export function linesIn(file: string): number {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0
}
