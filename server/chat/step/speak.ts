import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { waitNotice } from '../history/run-notices.ts'
import { costOf, type Engine, EngineError, type StepChunk, type StepRequest } from '../ports/model.ts'
import type { Step } from '../run/step.ts'
import { AnswerWriter } from './answer-writer.ts'
import { type Fitting, fitted } from './fitted.ts'
import { Patience } from './patience.ts'
import { sayNotice, sayWait } from './say-notice.ts'
import type { ModelCall } from './tool-requests.ts'

type Finish = Omit<Extract<StepChunk, { type: 'finish' }>, 'type'>

/** The outcome of one request to the model. */
export interface Said extends Finish {
  readonly calls: ModelCall[]
  /** Holds the end of the text, which is still to be stored. */
  readonly writer: AnswerWriter
}

/** What was said, to which request, and by which engine. */
interface Spoken<Request> {
  readonly said: Said
  readonly request: Request
  readonly engine: Engine
}

interface Tokens {
  input_tokens: number
  output_tokens: number
}

/** Prepares the request for an engine, within this share of its allowed size. */
type Prepare<Request> = (engine: Engine, scale: number) => Promise<Request>

/** Failures that another engine would mostly share: they are about the request. */
const ABOUT_REQUEST: ReadonlySet<string> = new Set(['engine_context', 'engine_refused'])

/**
 * Asks the engine for one step; where it fails before it has said anything, the one that stands in for it, if the role may
 * use that and its quota is not used up. @throws as `think`
 */
export async function speak<Request extends StepRequest>(
  step: Step,
  engine: Engine,
  prepare: Prepare<Request>,
): Promise<Spoken<Request>> {
  const { ports, policy, log, run, limits } = step
  const other = engine.engine_id === null ? null : ports.model.fallback(engine.engine_id, policy.role_id)
  const heard = { any: false }
  try {
    return await fit(step, engine, prepare, new Patience(other === null ? limits : { ...limits, ...SHORT }), heard)
  } catch (error) {
    if (!(error instanceof EngineError) || heard.any || other === null) throw error
    if (ABOUT_REQUEST.has(error.code) && !error.elsewhere) throw error
    if (!(await takesOver(step, other))) throw error
    log.warn({ err: error, run_id: run.row.run_id }, 'another engine stands in')
    await sayNotice(step, 'engine_fallback', other.name)
    return await fit(step, other, prepare, new Patience(limits), heard)
  }
}

/**
 * Counts the message for the engine that stands in, unless it has taken the step before, too; false: its quota does not
 * allow it.
 */
async function takesOver({ ports, policy, db, run }: Step, { engine_id, model, name }: Engine): Promise<boolean> {
  if (engine_id === null || model === null) return true
  if (run.row.engine === name) return (await ports.usage.usedUp(db.read, policy, engine_id)) === null
  try {
    await db.transaction((trx) => ports.usage.message(trx, policy, { engine_id, model }))
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
  return true
}

/** With another engine at hand nobody waits long for the first. */
const SHORT = { retries: 1, engineWait: 5000 }

/**
 * Asks the engine, and once more for each thing that its model turns out not to take: as many tokens, tools, pictures. What
 * it has taught is remembered, so that no later step asks for it.
 */
async function fit<Request extends StepRequest>(
  step: Step,
  engine: Engine,
  prepare: Prepare<Request>,
  patience: Patience,
  heard: { any: boolean },
): Promise<Spoken<Request>> {
  let fitting: Fitting = { engine, scale: 1, shrunk: 0 }
  for (;;) {
    const request = await prepare(fitting.engine, fitting.scale)
    try {
      return { said: await ask(step, fitting.engine, request, patience, heard), request, engine: fitting.engine }
    } catch (error) {
      if (!(error instanceof EngineError) || heard.any) throw error
      const next = await fitted(step, fitting, request, error)
      if (next === null) throw error
      fitting = next
    }
  }
}

/**
 * One request to the model, stored as it streams. What fails before a word was said and a call was asked for is asked
 * again where that may help, after a pause.
 */
async function ask(
  step: Step,
  engine: Engine,
  request: StepRequest,
  patience: Patience,
  heard: { any: boolean },
): Promise<Said> {
  const spent = { input_tokens: 0, output_tokens: 0 }
  try {
    return await untilAnswered(step, engine, request, patience, heard, spent)
  } catch (error) {
    await countLost(step, engine, spent)
    throw error
  }
}

/** As `ask`; adds what answers cost, those that were none included. */
async function untilAnswered(
  step: Step,
  engine: Engine,
  request: StepRequest,
  patience: Patience,
  heard: { any: boolean },
  spent: Tokens,
): Promise<Said> {
  for (;;) {
    const failed = new AbortController()
    const writer = new AnswerWriter(step, (error) => failed.abort(error))
    const calls: ModelCall[] = []
    let finish: Finish | null = null
    try {
      for await (const chunk of engine.step(request, AbortSignal.any([step.signal, failed.signal]))) {
        if (chunk.type === 'text' || chunk.type === 'reasoning') writer.add(chunk.type, chunk.text)
        else if (chunk.type === 'reasoning_end') writer.endReasoning(chunk.provider)
        else if (chunk.type === 'call') calls.push(chunk)
        else finish = chunk
      }
      await writer.settle()
      if (!finish) throw new EngineError('engine_cut', say`The engine stopped before its answer was complete.`)
      spent.input_tokens += finish.input_tokens
      spent.output_tokens += finish.output_tokens
      const again = finish.reason === 'malformed' && writer.empty && patience.mayAskAgain()
      if (!again) return { calls, reason: finish.reason, ...spent, writer }
      await sayNotice(step, 'engine_again')
    } catch (error) {
      // The output so far is kept, whatever happened.
      await writer.close()
      heard.any ||= !writer.empty || calls.length > 0
      if (!(error instanceof EngineError) || heard.any) throw error
      const seconds = patience.pauseAfter(error)
      if (seconds === null) throw error
      await pause(step, error, seconds)
    }
  }
}

/** Answers that were none are paid for all the same, even if nothing comes of the step. */
async function countLost({ ports, db, policy }: Step, engine: Engine, spent: Tokens): Promise<void> {
  const { engine_id, model } = engine
  if (engine_id === null || model === null || spent.input_tokens + spent.output_tokens === 0) return
  const used = { ...spent, cost_micros: costOf(engine, spent) }
  await db.transaction((trx) => ports.usage.tokens(trx, policy.user_id, { engine_id, model }, used))
}

/** Says why and for how long, and waits: until the run is stopped at the latest. */
async function pause(step: Step, error: EngineError, seconds: number): Promise<void> {
  step.log.info({ run_id: step.run.row.run_id, code: error.code, seconds }, 'the engine is asked again')
  await sayWait(step, waitNotice(error, Math.ceil(seconds), step.policy.language))
  await delay(seconds * 1000, undefined, { signal: step.signal })
}
