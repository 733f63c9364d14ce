import type { Processes } from '../db/processes.ts'
import type { Tasks } from '../kernel/tasks.ts'
import type { Approvals } from './approvals/approvals.ts'
import type { LostOperations } from './lost-operations.ts'
import type { QueueSender } from './queue/queue-sender.ts'
import type { RunContext } from './run/run-context.ts'
import { whatIsDue } from './run/what-is-due.ts'
import type { Runner } from './runner.ts'

const LOOK = 15_000

interface DueWorkOf {
  readonly runner: Runner
  readonly approvals: Approvals
  readonly queueSender: QueueSender
  readonly lostOperations: LostOperations
  readonly processes: Pick<Processes, 'onHeartbeat' | 'steady'>
  readonly tasks: Tasks
}

/**
 * What any process does for all: runs that have lost their driver, messages that nobody has sent, cards whose time is over,
 * operations whose end is unknown. Each is looked for on its own, so that one of them that waits (for a process that is
 * frozen, for a machine) holds up none of the others.
 */
export class DueWork {
  readonly #context: RunContext
  readonly #of: DueWorkOf
  readonly #underWay = new Set<string>()

  constructor(context: RunContext, of: DueWorkOf) {
    this.#context = context
    this.#of = of
    of.tasks.every('do what is due', LOOK, () => this.#look())
  }

  /** At the start of the service: a run that continues waits for its tools by itself, and one that has ended is told of. */
  begin(): void {
    this.#recover()
    this.#alone('send queued', (signal) => this.#of.queueSender.sweep(signal))
    this.#of.processes.onHeartbeat(({ left }) => left && this.#recover())
  }

  /** Closes expired cards; their runs go on. */
  async expireApprovals(): Promise<void> {
    for (const run_id of await this.#of.approvals.expire()) this.#of.runner.start(run_id)
  }

  async #look(): Promise<void> {
    const due = await whatIsDue(this.#context.db.read, this.#context.owner)
    if (due.driven && this.#of.processes.steady) this.#recover()
    if (due.queued) this.#alone('send queued', (signal) => this.#of.queueSender.sweep(signal))
    if (due.expired) this.#alone('close expired cards', () => this.expireApprovals())
    if (due.lost) this.#ask()
  }

  #recover(): void {
    // What a killed process had under way is lost only now.
    this.#alone('take up runs', () => this.#of.runner.recover().then(() => this.#ask()))
  }

  #ask(): void {
    this.#alone('ask for lost operations', (signal) => this.#of.lostOperations.ask(signal))
  }

  #alone(name: string, work: (signal: AbortSignal) => Promise<void>): void {
    if (this.#underWay.has(name)) return
    this.#underWay.add(name)
    this.#of.tasks.spawn(name, (signal) => work(signal).finally(() => this.#underWay.delete(name)))
  }
}
