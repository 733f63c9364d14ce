import { hostname } from 'node:os'
import type { ChatResult } from '../../contract/chat.ts'
import type { Caller } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { newSecret } from '../kernel/id.ts'
import { iso } from '../kernel/time.ts'
import type { Tasks } from '../kernel/tasks.ts'
import type { Reader } from '../db/database.ts'
import { ACTIVE, activeRuns } from './active-runs.ts'
import { ActivityStreams } from './activity-stream.ts'
import { Approvals, type Verdict } from './approvals.ts'
import { asking } from './asking.ts'
import { cancelRuns } from './cancel-runs.ts'
import { chatResult } from './chat-result.ts'
import { ChatSessions } from './chat-sessions.ts'
import { Conversations } from './conversations.ts'
import { Folders } from './folders.ts'
import { Bin, type PurgeFiles } from './bin.ts'
import { ConversationCopies } from './conversation-copies.ts'
import { ModulePrompts } from './module-prompts.ts'
import type { Prompts } from './prompts.ts'
import { RUN_LIMITS, type RunLimits, type RunPorts } from './run-ports.ts'
import { RunStore } from './run-store.ts'
import { Runner } from './runner.ts'
import type { OpenedRun } from './run-once.ts'
import { ConversationSearch } from './search.ts'
import { type RetryRequest, type SendRequest, storeMessage, storeRetry } from './send.ts'
import { switchedPolicy } from './switched-policy.ts'
import { toApproval } from './tool-call-view.ts'

const RECOVERY = 15_000
const EXPIRY = 30_000
const PRUNING = 60_000

export type ChatOptions = Omit<RunPorts, 'store' | 'limits' | 'owner'> & {
  readonly limits?: Partial<RunLimits>
  /** True while the session of an open stream still stands. */
  readonly stillValid: (caller: Caller) => Promise<boolean>
  readonly tasks: Tasks
  readonly prompts: Prompts
  /** Removes files that belonged to purged conversations: those attached, and those that runs generated. */
  readonly purgeFiles: PurgeFiles
}

/** What routes call: send, cancel, decide, and everything that goes on in the background around runs. */
export class Chat implements AsyncDisposable {
  readonly ports: RunPorts
  readonly conversations: Conversations
  readonly folders: Folders
  readonly copies: ConversationCopies
  readonly bin: Bin
  readonly sessions: ChatSessions
  readonly approvals: Approvals
  readonly prompts: ModulePrompts
  readonly streams: ActivityStreams
  readonly runner: Runner
  readonly #search: ConversationSearch

  constructor(options: ChatOptions) {
    const { db, activity, tasks } = options
    const store = new RunStore(db, activity)
    const owner = `${hostname()}/${process.pid}/${newSecret().slice(0, 12)}`
    const policy = switchedPolicy(options.policy, options.switches)
    this.ports = { ...options, policy, store, owner, limits: { ...RUN_LIMITS, ...options.limits } }
    this.#search = new ConversationSearch(db)
    this.conversations = new Conversations(db, activity, this.#search)
    this.folders = new Folders(db, activity)
    this.copies = new ConversationCopies(db, this.conversations)
    this.bin = new Bin(db, activity, options.purgeFiles)
    this.sessions = new ChatSessions(db, this.conversations)
    this.approvals = new Approvals(this.ports)
    this.prompts = new ModulePrompts(options.prompts, policy)
    this.streams = new ActivityStreams(db, activity, options.stillValid)
    this.runner = new Runner(this.ports)
    tasks.every('recover runs', RECOVERY, () => this.runner.recover())
    tasks.every('expire approvals', EXPIRY, () => this.expireApprovals())
    tasks.every('prune events', PRUNING, () => activity.prune())
    tasks.every('purge the bin', PRUNING, () => this.bin.purgeOld())
  }

  /** Stores the message and starts its run. `wait` false answers as soon as that is done. */
  async send(caller: Caller, request: SendRequest, wait: boolean) {
    return this.#begin(caller, await storeMessage(this.ports, this.conversations, this.sessions, caller, request), wait)
  }

  /** Answers a message again, beside the answers that are there. */
  async retry(caller: Caller, request: RetryRequest, wait: boolean) {
    return this.#begin(caller, await storeRetry(this.ports, this.conversations, caller, request), wait)
  }

  async #begin(caller: Caller, { run_id, conversation_id, epoch }: OpenedRun, wait: boolean) {
    // Also for a retry of the request: if the first one was lost after its commit, nobody drives the run yet.
    this.runner.start(run_id, epoch)
    if (!wait) return { status: 202 as const, body: { run_id, conversation_id } }
    return { status: 200 as const, body: await this.#result(caller, run_id) }
  }

  /**
   * Decides a card; the result is null while other cards of the run are pending, or without `wait`.
   * @throws {AppError} not_found, invalid_request, already_decided, approval_expired, approval_closed
   */
  async decide(
    caller: Caller,
    approval_id: string,
    verdict: Verdict,
    wait: boolean,
  ): Promise<{ ok: true; approval: ReturnType<typeof toApproval>; result: ChatResult | null }> {
    const row = await this.approvals.decide(caller, approval_id, verdict)
    // The call that asked is awake where it waits.
    if (row.kind !== 'question') this.runner.start(row.run_id)
    // Thrown only now: the run goes on without the call, and does not wait for somebody to notice.
    if (row.status === 'expired') {
      throw new AppError('approval_expired', say`This approval has expired. Ask again to get a new one.`)
    }
    const approval = toApproval(row)
    if (!wait || (await this.#pendingCards(row.run_id)) > 0) return { ok: true, approval, result: null }
    return { ok: true, approval, result: await this.#result(caller, row.run_id) }
  }

  /** Stops the caller's active runs, in one conversation or in all, and waits until they rest. */
  async cancel(caller: Caller, conversation_id: string | undefined) {
    const { db } = this.ports
    let select = db.read.selectFrom('run').select(['run_id']).where('user_id', '=', caller.user_id).where(ACTIVE)
    if (conversation_id !== undefined) select = select.where('conversation_id', '=', conversation_id)
    const ids = (await select.execute()).map(({ run_id }) => run_id)
    const { cancelled_count, warning } = await cancelRuns(this.ports, this.runner, ids)
    return { ok: true as const, cancelled: cancelled_count > 0, cancelled_count, warning }
  }

  /** The caller's active runs, oldest first. */
  async activeRuns(user_id: string) {
    const rows = await this.ports.db.read
      .selectFrom('run')
      .innerJoin('conversation', 'conversation.conversation_id', 'run.conversation_id')
      .select(['run.run_id', 'run.conversation_id', 'conversation.title', 'run.status', 'run.created_at'])
      .where('run.user_id', '=', user_id)
      .where(ACTIVE)
      .orderBy('run.run_id')
      .execute()
    return rows.map(({ created_at, ...row }) => ({ ...row, started_at: iso(created_at) }))
  }

  static async hasActiveRun(reader: Reader, user_id: string): Promise<boolean> {
    return (await activeRuns(reader, user_id)).size > 0
  }

  async expireApprovals(): Promise<void> {
    for (const run_id of await this.approvals.expire()) this.runner.start(run_id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.runner.stopAll()
    await this.#search[Symbol.asyncDispose]()
  }

  async #result(caller: Caller, run_id: string): Promise<ChatResult> {
    const over = new AbortController()
    // A call that asks something waits for a person, too: who sent the message has to see the question to answer it.
    const asked = asking(this.ports.db, run_id, over.signal)
    await Promise.race([this.runner.rested(run_id), asked]).finally(() => over.abort())
    return chatResult(this.ports.db.read, run_id, caller.session_id).catch(async (error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'quota_used_up') throw error
      // The run does not remember when it begins anew.
      const retryAfter = (await this.ports.usage.usedUp(this.ports.db.read, caller))?.retryAfter
      throw new AppError(error.code, error.detail, { extra: error.extra, ...(retryAfter && { retryAfter }) })
    })
  }

  async #pendingCards(run_id: string): Promise<number> {
    const rows = await this.ports.db.read
      .selectFrom('approval')
      .select('approval_id')
      .where('run_id', '=', run_id)
      .where('status', '=', 'pending')
      .execute()
    return rows.length
  }
}
