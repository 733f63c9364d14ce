import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { act } from './act.ts'
import type { UserPolicy } from './policy.ts'
import { type Ending, endingOf } from './run-ending.ts'
import { runNotice } from './run-notices.ts'
import type { RunPorts } from './run-ports.ts'
import { isFinished } from './run-state.ts'
import { LEASE, LostLease } from './run-store.ts'
import { think } from './think.ts'

interface Drive {
  readonly done: Promise<void>
  readonly abort: AbortController
}

const RENEW = LEASE / 3
/** How long runs may go on after the service was told to stop. */
const REST = 10_000

/**
 * Drives runs: asks the state what it needs, does it, and stops where a run rests. A run belongs to one driver at a
 * time; everything needed to go on is in the database, so any process can take over from any other.
 */
export class Runner {
  readonly #ports: RunPorts
  readonly #owner: string
  readonly #drives = new Map<string, Drive>()
  readonly #renewal: NodeJS.Timeout
  #stopping = false
  #stopped: Promise<void> | null = null

  constructor(ports: RunPorts) {
    this.#ports = ports
    this.#owner = ports.owner
    this.#renewal = setInterval(() => {
      ports.store.renew(this.#owner, [...this.#drives.keys()]).catch((error: unknown) => {
        ports.log.error({ err: error }, 'leases not renewed')
      })
    }, RENEW)
    this.#renewal.unref()
  }

  /** Drives the run until it rests. Returns at once. `epoch`: of the lease that we hold already; else it is claimed. */
  start(run_id: string, epoch: number | null = null): void {
    if (this.#stopping) return
    const abort = new AbortController()
    const before = this.#drives.get(run_id)?.done ?? Promise.resolve()
    const done = before
      .then(() => this.#drive(run_id, abort, epoch))
      .catch((error: unknown) => this.#ports.log.error({ err: error, run_id }, 'run not ended'))
      .finally(() => {
        if (this.#drives.get(run_id)?.done === done) this.#drives.delete(run_id)
      })
    this.#drives.set(run_id, { done, abort })
  }

  /** Resolves once the run rests, whichever process drives it. @throws {AppError} stopping */
  async rested(run_id: string): Promise<void> {
    const { db } = this.#ports
    for (;;) {
      await this.#drives.get(run_id)?.done
      const row = await db.read
        .selectFrom('run')
        .select(['status', 'user_id'])
        .where('run_id', '=', run_id)
        .executeTakeFirst()
      if (!row || (row.status !== 'thinking' && row.status !== 'acting')) return
      if (this.#drives.has(run_id)) continue
      if (this.#stopping)
        throw new AppError('stopping', say`The service is stopping. The run goes on after its next start.`)
      // Another process drives it: its events wake us, and a look every second makes up for one that was missed.
      const woken = Promise.withResolvers<void>()
      const off = db.onWake(row.user_id, woken.resolve)
      const timer = setTimeout(woken.resolve, 1000)
      await woken.promise
      clearTimeout(timer)
      off()
    }
  }

  /** Stops the run at its next possible moment; the model call and running tools are told at once. */
  stop(run_id: string): void {
    this.#drives.get(run_id)?.abort.abort('cancel')
  }

  /** Takes over runs that nobody drives any more: goes on where that is safe, else ends them with a notice. */
  async recover(): Promise<void> {
    const { store } = this.#ports
    for (const { run_id, lease_owner, lease_expires_at } of await store.driven()) {
      if (this.#stopping || this.#drives.has(run_id)) continue
      // Our own lease on a run that we do not drive: the database failed us even when we gave the run up.
      const lost =
        lease_owner === null ||
        lease_owner === this.#owner ||
        lease_expires_at! < Date.now() ||
        this.#isGone(lease_owner)
      if (!lost) continue
      // One that cannot be taken over must not keep the others waiting.
      await this.#takeOver(run_id).catch((error: unknown) =>
        this.#ports.log.error({ err: error, run_id }, 'run not taken over'),
      )
    }
  }

  /** Takes nothing new; lets runs rest for 10 s and marks the others interrupted. Asked twice, it stops once. */
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

  async #drive(run_id: string, abort: AbortController, held: number | null): Promise<void> {
    const { store, db, policy: policies } = this.#ports
    const mayTake = (owner: string) => owner === this.#owner || this.#isGone(owner)
    const epoch = held ?? (await store.claim(run_id, this.#owner, mayTake))
    if (epoch === null) return
    const off = db.onWake(cancelTopic(run_id), () => {
      this.#abortIfCancelled(run_id, abort).catch((error: unknown) =>
        this.#ports.log.error({ err: error, run_id }, 'stop not looked up'),
      )
    })
    try {
      // Right after the start a tool that is merely not up yet would be taken for one that is gone.
      await this.#ports.tools.ready()
      for (;;) {
        const run = await store.load(db.read, run_id)
        if (run.row.epoch !== epoch || isFinished(run.state.status)) return
        // Also when a card went up at the very moment in which the person stopped the run.
        if (run.row.cancel_requested_at !== null) abort.abort('cancel')
        else if (run.state.status === 'waiting_approval') return
        abort.signal.throwIfAborted()
        const policy = await policies.forUser(
          run.row.user_id,
          run.row.scope === null ? null : (JSON.parse(run.row.scope) as string[]),
        )
        if (!mayRun(policy)) {
          await this.#end(run_id, epoch, {
            event: 'run_failed',
            notice: runNotice('not_permitted'),
            fields: { error_code: 'forbidden' },
          })
          return
        }
        if (run.state.status === 'thinking') await think(this.#ports, run, epoch, policy, abort.signal)
        else await act(this.#ports, run, epoch, policy, abort.signal)
      }
    } catch (error) {
      if (error instanceof LostLease) return
      await this.#end(run_id, epoch, endingOf(error, abort.signal, this.#ports.log.child({ run_id })))
    } finally {
      off()
    }
  }

  /** A wake-up only says "look again". */
  async #abortIfCancelled(run_id: string, abort: AbortController): Promise<void> {
    const run = await this.#ports.db.read
      .selectFrom('run')
      .select('cancel_requested_at')
      .where('run_id', '=', run_id)
      .executeTakeFirst()
    if (run && run.cancel_requested_at !== null) abort.abort('cancel')
  }

  /** Ends a run early. One failing write must not leave it open, so it is tried again. */
  async #end(run_id: string, epoch: number, ending: Ending): Promise<void> {
    const { db, store } = this.#ports
    for (let attempt = 1; ; attempt++) {
      try {
        await db.transaction(async (trx) => {
          const run = await store.load(trx, run_id)
          // It rests: the commit was done whose answer we did not hear.
          if (isFinished(run.state.status)) return
          if (run.state.status === 'waiting_approval' && ending.event !== 'run_cancelled') return
          // A call that is still open here, or whose module could not say, may have changed something.
          const unknown = run.calls.some((call) => call.status === 'unknown' || call.status === 'running')
          const notice = unknown ? runNotice('outcome_unknown') : ending.notice
          const fields = { ...ending.fields, ...(unknown ? { warning: notice.text } : {}) }
          await store.apply(trx, run_id, { event: { type: ending.event }, epoch, notice, fields })
        })
        return
      } catch (error) {
        if (error instanceof LostLease) return
        if (attempt === 3) throw error
        await delay(100 * attempt)
      }
    }
  }

  async #takeOver(run_id: string): Promise<void> {
    const { db, store } = this.#ports
    const epoch = await store.claim(run_id, this.#owner, (owner) => owner === this.#owner || this.#isGone(owner))
    if (epoch === null) return
    const run = await store.load(db.read, run_id)
    // Reads that were under way changed nothing: they failed, and that is all.
    for (const call of run.calls.filter((candidate) => candidate.status === 'running' && candidate.effect === 'read')) {
      const event = { type: 'call_ended' as const, tool_call_id: call.tool_call_id, status: 'failed' as const }
      await db.transaction((trx) =>
        store.apply(trx, run_id, { event, epoch, result_text: 'The service stopped while this ran.' }),
      )
    }
    const underWay = run.calls.some((call) => call.status === 'running')
    if (run.row.cancel_requested_at !== null) {
      await this.#end(run_id, epoch, { event: 'run_cancelled', notice: runNotice('run_cancelled') })
    } else if (underWay || (run.state.status === 'thinking' && (await this.#hasSpoken(run_id, run.row.step + 1)))) {
      await this.#end(run_id, epoch, { event: 'run_interrupted', notice: runNotice('run_interrupted') })
    } else {
      // Nothing of this step has happened yet: going on repeats nothing.
      this.start(run_id)
    }
  }

  async #hasSpoken(run_id: string, step: number): Promise<boolean> {
    const part = await this.#ports.db.read
      .selectFrom('run')
      .innerJoin('message_part', 'message_part.message_id', 'run.output_message_id')
      .select('message_part.part_index')
      .where('run.run_id', '=', run_id)
      .where('message_part.step', '=', step)
      // That the engine asked to wait, or what was shortened for it, is said by us.
      .where('message_part.type', '!=', 'notice')
      .limit(1)
      .executeTakeFirst()
    return part !== undefined
  }

  /** True when the owner of a lease is a process of this machine that is no more; elsewhere only time can tell. */
  #isGone(owner: string): boolean {
    const [host, pid] = owner.split('/')
    if (owner === this.#owner || host !== hostname()) return false
    if (Number(pid) === process.pid) return true
    try {
      process.kill(Number(pid), 0)
      return false
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ESRCH'
    }
  }
}

/** Waking this topic tells the process that drives the run to stop it. */
export function cancelTopic(run_id: string): string {
  return `cancel:${run_id}`
}

function mayRun(policy: UserPolicy | null): policy is UserPolicy {
  return policy !== null && policy.permission('codex.use').effect !== 'deny'
}
