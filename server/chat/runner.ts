import { setTimeout as delay } from 'node:timers/promises'
import type { RunTable } from '../db/rows/chat-tables.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { isDatabaseAway } from '../kernel/storage-failure.ts'
import { endCutOffCalls } from './cut-off-calls.ts'
import { act } from './step/act.ts'
import { eachOnItsOwn } from './run/each-on-its-own.ts'
import { Bound } from './run/bound.ts'
import { cancelTopic } from './run/cancel-topic.ts'
import { LEASE } from './run/leases.ts'
import { hasSpoken } from './run/has-spoken.ts'
import { procedureOf } from './history/procedure-of-run.ts'
import { ownerLanguage } from './run/owner-language.ts'
import { type Ending, endingOf, OUTCOME_UNKNOWN } from './run/run-ending.ts'
import { runNotice } from './history/run-notices.ts'
import type { RunContext } from './run/run-context.ts'
import { mayRun, policyToGoOn } from './run/run-policy.ts'
import { isFinished } from './run/run-state.ts'
import { LostLease, type StoredRun } from './run/run-store.ts'
import type { JustOpened, Step } from './run/step.ts'
import { think } from './step/think.ts'

/** A run as the process that drove it to its end knows it. */
interface RestingRun {
  readonly row: RunTable
  /** What it has said, if it took a single step and called nothing; null when that must be read. */
  readonly texts: readonly string[] | null
  /** How many messages are queued in its conversation. */
  readonly queued: number
}

interface Drive {
  /** Null when the run must be read to know what became of it. */
  readonly done: Promise<RestingRun | null>
  readonly abort: AbortController
  /** Under which it writes; null until it has the run. */
  epoch: number | null
}

/** How often leases are renewed; a stop that was asked for elsewhere is found then at the latest. */
const RENEW = LEASE / 4
/** Runs taken over at once: one that waits for something must not hold up the others. */
const TAKEN_AT_ONCE = 8
/** How long runs may continue after the service was told to stop, in milliseconds. */
const REST = 10_000

/**
 * Drives runs: determines what the state needs, does it, and stops where a run rests. A run belongs to one driver at a
 * time; everything needed to continue is in the database, so any process can take over from any other.
 */
export class Runner {
  readonly #context: RunContext
  readonly #onDone: (run: RunTable) => void
  readonly #drives = new Map<string, Drive>()
  readonly #takingOver = new Set<string>()
  readonly #onRest: (run_id: string) => void
  readonly #renewal: NodeJS.Timeout
  #stopping = false
  #stopped: Promise<void> | null = null

  /**
   * @param onDone learns of each run that this process has driven to a good end; must not throw
   * @param onRest hears of runs after which a queued message may be sent
   */
  constructor(context: RunContext, onDone: (run: RunTable) => void, onRest: (run_id: string) => void) {
    this.#context = context
    this.#onDone = onDone
    this.#onRest = onRest
    this.#renewal = setInterval(() => {
      this.#renew().catch((error: unknown) => context.log.error({ err: error }, 'leases not renewed'))
    }, RENEW)
    this.#renewal.unref()
  }

  /** Drives the run until it rests; returns at once. Claims it unless it was just opened. */
  start(run_id: string, opened: JustOpened | null = null): void {
    if (this.#stopping) return
    const abort = new AbortController()
    const before = this.#drives.get(run_id)?.done ?? Promise.resolve()
    const done = before
      .then(() => this.#drive(run_id, abort, opened))
      .catch((error: unknown) => {
        this.#context.log.error({ err: error, run_id }, 'run not ended')
        return null
      })
      .finally(() => {
        if (this.#drives.get(run_id)?.done === done) this.#drives.delete(run_id)
      })
    // What is queued when the service stops is sent after its next start.
    void done.then((resting) => !this.#stopping && resting?.queued !== 0 && this.#onRest(run_id))
    this.#drives.set(run_id, { done, abort, epoch: opened?.epoch ?? null })
  }

  /**
   * Resolves once the run rests, whichever process drives it; with the run if this one has just driven it to its end.
   * @throws {AppError} stopping
   */
  async rested(run_id: string): Promise<RestingRun | null> {
    const { db } = this.#context
    for (;;) {
      const resting = await this.#drives.get(run_id)?.done
      if (resting) return resting
      const row = await db.read
        .selectFrom('run')
        .select(['status', 'user_id'])
        .where('run_id', '=', run_id)
        .executeTakeFirst()
      if (!row || (row.status !== 'thinking' && row.status !== 'acting')) return null
      if (this.#drives.has(run_id)) continue
      if (this.#stopping)
        throw new AppError('stopping', say`The service is stopping. The run continues after the next start.`)
      // Another process drives it: its events wake this one, and a look every second makes up for a missed wake-up.
      const woken = Promise.withResolvers<void>()
      const off = db.onWake(row.user_id, woken.resolve)
      const timer = setTimeout(woken.resolve, 1000)
      await woken.promise
      clearTimeout(timer)
      off()
    }
  }

  /** Stops the run as soon as possible; the model request and running tools are told at once. */
  stop(run_id: string): void {
    this.#drives.get(run_id)?.abort.abort('cancel')
  }

  /**
   * Takes over runs that have lost their driver: continues them if that is safe, otherwise ends them with a notice. One
   * that somebody else has locked is left to the next time.
   */
  async recover(): Promise<void> {
    const left = await this.#context.leases.left()
    // Our own lease on a run we do not drive: the database failed even as the run was being given up.
    const ids = left.filter((run_id) => !this.#drives.has(run_id) && !this.#takingOver.has(run_id))
    await eachOnItsOwn(ids, TAKEN_AT_ONCE, async (run_id) => {
      if (this.#stopping || this.#takingOver.has(run_id)) return
      this.#takingOver.add(run_id)
      await this.#takeOver(run_id)
        .catch((error: unknown) => this.#context.log.error({ err: error, run_id }, 'run not taken over'))
        .finally(() => this.#takingOver.delete(run_id))
    })
  }

  /**
   * Accepts no new runs, lets running ones rest for up to 10 s and marks the others interrupted. Further calls have no
   * effect.
   */
  stopAll(): Promise<void> {
    this.#stopped ??= this.#stopAll()
    return this.#stopped
  }

  async #stopAll(): Promise<void> {
    this.#stopping = true
    const all = () => Promise.all([...this.#drives.values()].map((drive) => drive.done))
    const timer = setTimeout(() => {
      for (const drive of this.#drives.values()) drive.abort.abort('shutdown')
    }, REST)
    await all()
    clearTimeout(timer)
    clearInterval(this.#renewal)
  }

  /** Whoever has been away too long stops what it was doing: another process has the run. */
  async #renew(): Promise<void> {
    const { cancelled, lost } = await this.#context.leases.renew([...this.#drives.keys()])
    for (const run_id of cancelled) this.stop(run_id)
    for (const { run_id, epoch } of lost) {
      const drive = this.#drives.get(run_id)
      if (drive && drive.epoch !== null && drive.epoch !== epoch) drive.abort.abort('lost')
    }
  }

  async #drive(run_id: string, abort: AbortController, opened: JustOpened | null): Promise<RestingRun | null> {
    const { ports, store, leases, db } = this.#context
    const epoch = opened?.epoch ?? (await leases.claim(run_id, { waiting: true }))
    if (epoch === null) return null
    const drive = this.#drives.get(run_id)
    if (drive?.abort === abort) drive.epoch = epoch
    const off = db.onWake(cancelTopic(run_id), () => {
      this.#abortIfCancelled(run_id, abort).catch((error: unknown) =>
        this.#context.log.error({ err: error, run_id }, 'stop not looked up'),
      )
    })
    let language = 'en'
    const bound = new Bound(abort)
    try {
      // Right after start-up, a tool that is merely not ready yet would be mistaken for one that is gone.
      await ports.tools.ready()
      const input_text = opened?.input_text ?? null
      // Whoever repeats a request, or decides a card, may be the first to come after a driver was lost.
      const taken = opened === null ? await this.#mayGoOn(run_id, epoch) : null
      if (opened === null && taken === null) return null
      for (let known: StoredRun | null = taken, justOpened = opened !== null; ; justOpened = false) {
        const run: StoredRun = known ?? (await store.load(db.read, run_id))
        if (run.row.epoch !== epoch || isFinished(run.state.status)) return null
        // Also applies when a card was created at the very moment the person stopped the run.
        if (run.row.cancel_requested_at !== null) abort.abort('cancel')
        const over = await bound.check(db.read, run.row)
        if (over !== null) return await this.#end(run_id, epoch, over)
        abort.signal.throwIfAborted()
        if (run.state.status === 'waiting_approval') return null
        const policy = await policyToGoOn(db.read, ports.policy, run.row)
        if (policy !== null) language = policy.language
        if (!mayRun(policy)) {
          return await this.#end(run_id, epoch, {
            event: 'run_failed',
            notice: runNotice('not_permitted'),
            fields: { error_code: 'forbidden' },
          })
        }
        const carriedOut = procedureOf(run.row)
        const plan = carriedOut === null ? null : await ports.procedures.plan(db.read, carriedOut)
        const context = { ...this.#context, limits: bound.limits(this.#context.limits) }
        const step: Step = { ...context, run, epoch, policy, plan, justOpened, input_text, signal: abort.signal }
        const thought = run.state.status === 'thinking' ? await think(step) : await act(step)
        if (thought?.run.state.status === 'done') {
          this.#onDone(thought.run.row)
          return { row: thought.run.row, texts: justOpened ? thought.texts : null, queued: thought.run.queued }
        }
        known = thought?.run ?? null
      }
    } catch (error) {
      if (error instanceof LostLease) return null
      const log = this.#context.log.child({ run_id })
      if (!abort.signal.aborted && isDatabaseAway(error)) {
        // No end of the run: whoever takes it up, this process too, goes by what is stored of it.
        log.warn({ err: error }, 'run given up while the database is away')
        return null
      }
      return await this.#end(run_id, epoch, endingOf(error, { signal: abort.signal, log, language }), language)
    } finally {
      off()
      bound[Symbol.dispose]()
    }
  }

  /** A wake-up only means "look again". */
  async #abortIfCancelled(run_id: string, abort: AbortController): Promise<void> {
    const run = await this.#context.db.read
      .selectFrom('run')
      .select('cancel_requested_at')
      .where('run_id', '=', run_id)
      .executeTakeFirst()
    if (run && run.cancel_requested_at !== null) abort.abort('cancel')
  }

  /** Ends a run early. A single failed write must not leave it open, so it is retried. */
  async #end(run_id: string, epoch: number, ending: Ending, language = 'en'): Promise<null> {
    const { db, store } = this.#context
    for (let attempt = 1; ; attempt++) {
      try {
        await db.transaction(async (trx) => {
          const run = await store.load(trx, run_id)
          // It rests: the commit succeeded, but its acknowledgement was lost.
          if (isFinished(run.state.status)) return
          if (run.state.status === 'waiting_approval' && ending.event !== 'run_cancelled') return
          // A call that is still open here, or whose module could not tell, may have changed something.
          const unknown = run.calls.some((call) => call.status === 'unknown' || call.status === 'running')
          const notice = unknown ? runNotice('outcome_unknown') : ending.notice
          // In addition to what was said about a module that ignored the stop.
          const said = run.row.warning === null ? '' : `${run.row.warning} `
          const fields = { ...ending.fields, ...(unknown ? { warning: said + OUTCOME_UNKNOWN.in(language) } : {}) }
          await store.apply(trx, run_id, { event: { type: ending.event }, epoch, notice, fields })
        })
        return null
      } catch (error) {
        if (error instanceof LostLease) return null
        if (attempt === 3) throw error
        await delay(100 * attempt)
      }
    }
  }

  async #takeOver(run_id: string): Promise<void> {
    const epoch = await this.#context.leases.claim(run_id, { waiting: false })
    if (epoch !== null && (await this.#mayGoOn(run_id, epoch)) !== null) this.start(run_id)
  }

  /** A run that was just claimed, if continuing it repeats nothing; otherwise it is ended, with what is known of its calls. */
  async #mayGoOn(run_id: string, epoch: number): Promise<StoredRun | null> {
    const { db, store } = this.#context
    const run = await store.load(db.read, run_id)
    const underWay = run.calls.filter((call) => call.status === 'running')
    if (underWay.length > 0) {
      const language = await ownerLanguage(db.read, run.row.user_id)
      await endCutOffCalls(this.#context, run, underWay, { epoch, language })
    }
    const isCancelled = run.row.cancel_requested_at !== null
    const spoke = run.state.status === 'thinking' && (await hasSpoken(db.read, run_id, run.row.step + 1))
    if (!isCancelled && underWay.length === 0 && !spoke) return run
    const event = isCancelled ? 'run_cancelled' : 'run_interrupted'
    await this.#end(run_id, epoch, { event, notice: runNotice(event) })
    return null
  }
}
