import { MachineUnreachable } from '../../modules/machines.ts'
import { algorithmsOf, readHostKey } from './host-key.ts'
import { reach, type Surroundings } from './reach.ts'
import { Session } from './session.ts'
import { signIn } from './sign-in.ts'
import { chainProblem, type HostTarget } from './target.ts'
import { unlessAborted } from './turns.ts'
import type { Urgency, Way } from './way.ts'

/** The one connection to a machine: made when it is needed, shared by all callers, remembered when it fails. */
export class Connection implements Way {
  readonly target: HostTarget
  readonly #around: Surroundings
  #session: Session | null = null
  #opening: Promise<Session> | null = null
  #failure: { readonly error: MachineUnreachable; readonly until: number } | null = null
  #failures = 0
  readonly #closing = new AbortController()

  constructor(target: HostTarget, around: Surroundings) {
    this.target = target
    this.#around = around
  }

  /** The open connection, or a new one; rejects with MachineUnreachable, or when `signal` aborts. Never opens after a close. */
  async session(urgency: Urgency, signal: AbortSignal): Promise<Session> {
    signal.throwIfAborted()
    this.#closing.signal.throwIfAborted()
    if (this.#session !== null && !this.#session.closed.aborted) return this.#session
    if (this.#opening === null) this.#throwRemembered(urgency)
    this.#opening ??= this.#open(urgency).finally(() => (this.#opening = null))
    return unlessAborted(this.#opening, signal)
  }

  close(): void {
    this.#closing.abort(new MachineUnreachable('unreachable', `The connection to ${this.target.name} was closed.`))
    this.#session?.close()
  }

  /** Throws what the last attempt failed with, unless it is time for another one. */
  #throwRemembered(urgency: Urgency): void {
    if (this.#failure === null || urgency === 'again') return
    const { error, until } = this.#failure
    if (error.state !== 'unreachable' || (urgency === 'background' && this.#around.now() < until)) throw error
  }

  async #open(urgency: Urgency): Promise<Session> {
    try {
      const session = await this.#attempt(urgency)
      if (this.#closing.signal.aborted) session.close()
      this.#session = session
      this.#failure = null
      this.#failures = 0
      return session
    } catch (error) {
      const { limits, now } = this.#around
      const pause = Math.min(limits.pause * 2 ** this.#failures++, limits.longest_pause)
      // Everything that fails here is one; an error of ours would be none, and is not remembered.
      if (error instanceof MachineUnreachable) this.#failure = { error, until: now() + pause }
      throw error
    }
  }

  async #attempt(urgency: Urgency): Promise<Session> {
    const { target } = this
    const { limits, keys } = this.#around
    const { name, account } = target
    const pinned = target.host_key === null ? null : readHostKey(target.host_key)
    if (pinned === null)
      throw new MachineUnreachable('key_unknown', `The host key of ${name} is not known: it has to be pinned first.`)
    const problem = chainProblem(target)
    if (problem !== null) throw new MachineUnreachable('unreachable', problem)
    const own = await keys()
    if (own.length === 0)
      throw new MachineUnreachable('sign_in_refused', 'Reeve has no key yet with which it could sign in to machines.')
    const offered = algorithmsOf(pinned.type)
    const accept = (key: Buffer) => key.equals(pinned.bytes)
    const client = await reach(target, this.#around, urgency, this.#closing.signal, (socket, signal) =>
      signIn({ name, account, socket, offered, accept, keys: own, ...limits }, signal),
    )
    return new Session(client, name, limits)
  }
}
