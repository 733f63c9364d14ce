import type { JournalEnd } from '../../../contract/host-journal.ts'
import { JOURNAL_LIMITS } from '../../../contract/journal-values.ts'
import type { Caller } from '../../../contract/route.ts'
import type { AuditLog } from '../../chat/ports/audit-log.ts'
import type { HostList } from '../../chat/ports/hosts.ts'
import type { Policy } from '../../chat/ports/policy.ts'
import type { Tool } from '../../chat/ports/tools.ts'
import { hostDisabled, noMachine, usableHost } from '../../chat/ports/usable-host.ts'
import type { Database, Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { iso } from '../../kernel/time.ts'
import type { Machine } from '../../modules/machines.ts'
import { follow, FollowEnd } from './follow.ts'
import type { LogFilter } from './journal-source.ts'

export interface JournalFollowsOptions {
  readonly db: Database
  /** Tells a person's pages, wherever they are connected. The last thing in a transaction. */
  readonly tell: (
    trx: Trx,
    user_id: string,
    type: 'journal.lines' | 'journal.ended',
    data: Record<string, unknown>,
  ) => Promise<void>
  readonly audit: Pick<AuditLog, 'record'>
  readonly policy: Pick<Policy, 'forUser'>
  readonly hosts: Pick<HostList, 'read'>
  /** The tool that reads logs: whoever may call it on a machine may follow there. Undefined while its module is off. */
  readonly logs: () => Tool | undefined
  readonly machineOf: (host_id: string) => Promise<Machine | null>
}

interface Following {
  readonly user_id: string
  readonly host_id: string
  readonly ends: AbortController
  /** Settles once its last event is stored. */
  done: Promise<void>
}

/**
 * Logs that are followed by this process. Others reach a follower by waking its topics: the page is anywhere, what it
 * follows is here. Each lives as long as its page says so, which is judged anew each time.
 */
export class JournalFollows implements AsyncDisposable {
  readonly #options: JournalFollowsOptions
  readonly #following = new Set<Following>()
  #stopped = false

  constructor(options: JournalFollowsOptions) {
    this.#options = options
  }

  /** @throws {AppError} not_found, host_disabled, forbidden, too_many_followers */
  async start(
    caller: Caller,
    host_id: string,
    { follow_key, ...filter }: LogFilter & { readonly follow_key: string },
  ): Promise<{ ends_at: string }> {
    const { db, audit } = this.#options
    const name = await this.#judge(caller, host_id, filter)
    const machine = await this.#options.machineOf(host_id)
    if (machine === null || this.#stopped) throw hostDisabled(name)
    this.#makeRoom(caller.user_id, host_id)
    const ends = new AbortController()
    const one: Following = { user_id: caller.user_id, host_id, ends, done: Promise.resolve() }
    this.#following.add(one)
    try {
      await db.transaction((trx) =>
        audit.record(trx, {
          actor: caller,
          action: 'host.log_followed',
          target: name,
          outcome: 'ok',
          details: { host_id, ...filter },
        }),
      )
    } catch (error) {
      this.#following.delete(one)
      throw error
    }
    one.done = this.#run(one, follow_key, machine, filter).finally(() => this.#following.delete(one))
    return { ends_at: iso(Date.now() + JOURNAL_LIMITS.minutes * 60_000) }
  }

  /** The page is still there, and may still follow. @throws as `start` */
  async keep(caller: Caller, host_id: string, follow_key: string): Promise<void> {
    await this.#judge(caller, host_id, {})
    await this.#wake(topicOf(caller.user_id, follow_key, 'keep'))
  }

  /** @throws {AppError} not_found: a machine that is not theirs to use */
  async stop(caller: Caller, host_id: string, follow_key: string): Promise<void> {
    await usableHost(this.#options, caller, host_id)
    await this.#wake(topicOf(caller.user_id, follow_key, 'stop'))
  }

  async #run({ user_id, host_id, ends }: Following, follow_key: string, machine: Machine, filter: LogFilter) {
    const { db, tell } = this.#options
    const end = (reason: JournalEnd): void => ends.abort(new FollowEnd(reason))
    let lease = setTimeout(end, JOURNAL_LIMITS.lease_s * 1000, 'left')
    const deaf = [
      // A message that may have been lost stops nothing: whoever has left does not keep it.
      db.onWake(
        topicOf(user_id, follow_key, 'stop'),
        () => end('stopped'),
        () => {},
      ),
      db.onWake(topicOf(user_id, follow_key, 'keep'), () => {
        clearTimeout(lease)
        lease = setTimeout(end, JOURNAL_LIMITS.lease_s * 1000, 'left')
      }),
    ]
    const append = (type: 'journal.lines' | 'journal.ended', data: Record<string, unknown>): Promise<void> =>
      db.transaction((trx) => tell(trx, user_id, type, { follow_key, host_id, ...data }))
    try {
      const ended = await follow({ machine, filter, tell: (told) => append('journal.lines', { ...told }) }, ends.signal)
      await append('journal.ended', ended)
    } catch {
      // Nothing can be stored, as while the disk is full: the page notices the silence.
    } finally {
      clearTimeout(lease)
      for (const leave of deaf) leave()
    }
  }

  /** Whether the caller may read logs there now. Resolves with the machine's name. */
  async #judge(caller: Caller, host_id: string, filter: LogFilter): Promise<string> {
    const { own, host } = await usableHost(this.#options, caller, host_id)
    const tool = this.#options.logs()
    if (tool === undefined) throw noMachine()
    if (host.disabled) throw hostDisabled(host.name)
    const { effect, reason } = own.call(tool, tool.fill({ ...filter }), { untrusted: false, hosts: [host] })
    if (effect !== 'allow')
      throw new AppError('forbidden', say`Following the log of “${host.name}” is not allowed: ${reason}`)
    return host.name
  }

  #makeRoom(user_id: string, host_id: string): void {
    const all = [...this.#following]
    const { of_user, of_host, of_process } = JOURNAL_LIMITS
    if (
      all.length < of_process &&
      all.filter((one) => one.user_id === user_id).length < of_user &&
      all.filter((one) => one.host_id === host_id).length < of_host
    )
      return
    throw new AppError(
      'too_many_followers',
      say`Too many logs are being followed: ${of_user} by one person, or ${of_host} on one machine, are the most. Close one of them.`,
    )
  }

  #wake(topic: string): Promise<void> {
    const { db } = this.#options
    return db.transaction((trx) => {
      db.wake(trx, topic)
      return Promise.resolve()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    const all = [...this.#following]
    for (const { ends } of all) ends.abort(new FollowEnd('stopped'))
    await Promise.all(all.map(({ done }) => done))
  }
}

/** With the person in it: nobody else can end it, or keep it alive. */
function topicOf(user_id: string, follow_key: string, what: 'keep' | 'stop'): string {
  return `journal:${user_id}:${follow_key}:${what}`
}
