import { setTimeout as delay } from 'node:timers/promises'
import type { RunTable } from '../db/chat-tables.ts'
import type { Trx } from '../db/database.ts'
import { newId } from '../kernel/id.ts'
import { AnswerWriter } from './answer-writer.ts'
import { costOf, type Engine, EngineError, type StepRequest } from './model.ts'
import { nextPartIndex } from './parts.ts'
import type { UserPolicy } from './policy.ts'
import { runNotice } from './run-notices.ts'
import type { RunPorts } from './run-ports.ts'
import type { StoredRun } from './run-store.ts'
import { sayNotice } from './say-notice.ts'
import { prepareStep } from './step-prompt.ts'
import { judge, type ModelCall, storeCalls } from './tool-requests.ts'

/** What became of one request to the model. */
interface Said {
  readonly calls: ModelCall[]
  readonly reason: 'stop' | 'calls' | 'length' | 'filtered' | 'other'
  readonly input_tokens: number
  readonly output_tokens: number
  /** Holds the end of what was said, still to be stored. */
  readonly writer: AnswerWriter
}

/**
 * Takes one step of the model: builds the prompt, stores what it says while it says it, and ends with `model_answered`
 * or `tools_requested`.
 * @throws {EngineError} {LostLease} AbortError, {AppError} quota_used_up: the runner turns them into the end of the run.
 */
export async function think(
  ports: RunPorts,
  run: StoredRun,
  epoch: number,
  policy: UserPolicy,
  signal: AbortSignal,
): Promise<void> {
  const { store, db, limits } = ports
  const { row } = run
  const apply = (notice: ReturnType<typeof runNotice>) =>
    db.transaction((trx) => store.apply(trx, row.run_id, { event: { type: 'model_answered' }, epoch, notice }))
  if (row.step >= limits.steps) {
    await apply(runNotice('step_limit'))
    return
  }
  const engine = ports.model.choose(await inputText(ports, row.input_message_id))
  const tools = ports.tools
    .list()
    .filter((tool) => {
      const { effect, off } = policy.tool(tool)
      // Whoever asks for it by name reads why it is off.
      return effect !== 'deny' || (off === true && engine.model === null)
    })
    .map((tool) => ({
      name: `${tool.module}.${tool.name}`,
      description: tool.description,
      input_schema: tool.input_schema,
    }))
  const usedUp = engine.model === null ? null : await ports.usage.usedUp(ports.db.read, policy)
  if (usedUp) throw usedUp
  const request = await prepareStep(ports, run, engine, policy, tools, 1, signal)
  const started_at = Date.now()
  let said: Said
  try {
    said = await speak(ports, run, epoch, engine, request, signal)
  } catch (error) {
    if (!(error instanceof EngineError) || error.kind !== 'context_too_long') throw error
    // Our guess of the size was too low: try once more with half of it.
    said = await speak(
      ports,
      run,
      epoch,
      engine,
      await prepareStep(ports, run, engine, policy, tools, 0.5, signal),
      signal,
    )
  }

  const judged = judge(said.calls, ports.tools, policy, limits)
  const finish = async (trx: Trx): Promise<void> => {
    // The run's lock comes first: parts are numbered under it.
    await db.dialect.serialize(trx, `run:${row.run_id}`)
    const rest = await said.writer.rest(trx)
    const stored = judged.length === 0 ? null : await storeCalls(trx, row, row.step + 1, judged, limits)
    const event = stored
      ? {
          type: 'tools_requested' as const,
          calls: stored.rows.map(({ tool_call_id, status }) => ({ tool_call_id, status })),
        }
      : { type: 'model_answered' as const }
    const notice = stored ? undefined : noticeAbout(said)
    await store.apply(trx, row.run_id, { event, epoch, ...(notice ? { notice } : {}) }, async () => {
      await account(ports, trx, run, engine, said, started_at)
      return [...rest, ...(stored?.events ?? [])]
    })
  }
  try {
    await db.transaction(finish)
  } catch (error) {
    // Where only the answer to the commit was lost, the step is done.
    if (await isPast(ports, row)) return
    // What was said is kept even where what follows from it cannot be.
    await said.writer.close()
    throw error
  }
}

/** One request to the model, stored as it streams. Waits where the engine asks to, as long as nothing was said yet. */
async function speak(
  ports: RunPorts,
  run: StoredRun,
  epoch: number,
  engine: Engine,
  request: StepRequest,
  signal: AbortSignal,
): Promise<Said> {
  let waited = 0
  for (let attempt = 0; ; attempt++) {
    const failed = new AbortController()
    const writer = new AnswerWriter(
      {
        ...ports,
        run: run.row,
        epoch,
        step: run.row.step + 1,
        firstIndex: await nextPartIndex(ports.db.read, run.row.output_message_id),
      },
      (error) => failed.abort(error),
    )
    const calls: ModelCall[] = []
    let finish: { reason: Said['reason']; input_tokens: number; output_tokens: number } | null = null
    try {
      for await (const chunk of engine.step(request, AbortSignal.any([signal, failed.signal]))) {
        if (chunk.type === 'text' || chunk.type === 'reasoning') writer.add(chunk.type, chunk.text)
        else if (chunk.type === 'reasoning_end') writer.endReasoning(chunk.provider)
        else if (chunk.type === 'call') calls.push(chunk)
        else finish = chunk
      }
      await writer.settle()
      if (!finish) throw new EngineError('unavailable', 'The engine ended its answer without saying so.')
      return { calls, ...finish, writer }
    } catch (error) {
      // What was said so far is kept, whatever happened.
      await writer.close()
      const mayWait =
        error instanceof EngineError && error.kind === 'rate_limited' && writer.empty && calls.length === 0
      if (!mayWait) throw error
      const pause = Math.max(0, error.retryAfter ?? 2 ** attempt) * 1000
      waited += pause
      if (waited > ports.limits.rateLimitWait) throw error
      ports.log.info({ run_id: run.row.run_id, seconds: pause / 1000 }, 'the engine asks to wait')
      if (attempt === 0) await sayNotice(ports, run, 'rate_limited')
      await delay(pause, undefined, { signal })
    }
  }
}

function noticeAbout(said: Said): ReturnType<typeof runNotice> | null {
  if (said.reason === 'length') return runNotice('answer_cut')
  if (said.reason === 'filtered') return runNotice('answer_filtered')
  return said.writer.empty && said.calls.length === 0 ? runNotice('empty_answer') : null
}

/** Tokens and cost of a step, on the step and on the run. */
async function account(
  ports: RunPorts,
  trx: Trx,
  run: StoredRun,
  engine: Engine,
  said: Said,
  started_at: number,
): Promise<void> {
  const { input_tokens, output_tokens } = said
  const cost = costOf(engine, said)
  if (engine.model !== null)
    await ports.usage.tokens(trx, run.row.user_id, engine.model, { input_tokens, output_tokens, cost_micros: cost })
  await trx
    .insertInto('step')
    .values({
      step_id: newId('step'),
      run_id: run.row.run_id,
      step: run.row.step + 1,
      kind: 'model',
      status: 'done',
      output: JSON.stringify({ reason: said.reason }),
      input_tokens,
      output_tokens,
      started_at,
      ended_at: Date.now(),
    })
    .execute()
  await trx
    .updateTable('run')
    .set((eb) => ({
      input_tokens: eb('input_tokens', '+', input_tokens),
      output_tokens: eb('output_tokens', '+', output_tokens),
      ...(cost === null ? {} : { cost_micros: (run.row.cost_micros ?? 0) + cost }),
    }))
    .where('run_id', '=', run.row.run_id)
    .execute()
}

async function isPast(ports: RunPorts, { run_id, step }: RunTable): Promise<boolean> {
  const run = await ports.db.read.selectFrom('run').select('step').where('run_id', '=', run_id).executeTakeFirst()
  return run !== undefined && run.step > step
}

async function inputText(ports: RunPorts, message_id: string): Promise<string> {
  const part = await ports.db.read
    .selectFrom('message_part')
    .select('text')
    .where('message_id', '=', message_id)
    .where('type', '=', 'text')
    .executeTakeFirst()
  return part?.text ?? ''
}
