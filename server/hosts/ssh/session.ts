import type { Duplex } from 'node:stream'
import type { Client } from 'ssh2'
import { MachineUnreachable, type MachineFacts } from '../../modules/machines.ts'
import { startScript, type RunningScript, type Script, type ScriptEnd } from './exchange.ts'
import { openDoor } from './open-door.ts'
import { plain } from './sign-in.ts'
import type { SshLimits } from './target.ts'
import { Turns, unlessAborted } from './turns.ts'

/** Ends a group: TERM, and KILL after the grace. BusyBox takes no `--`, dash nothing without. */
const END_GROUP = `
k() { kill -s "$1" -- "-$g" 2>/dev/null || kill -s "$1" "-$g" 2>/dev/null || kill -s "$1" "$g" 2>/dev/null; }
k TERM || exit 0
while [ "$n" -gt 0 ] && k 0; do n=$((n - 1)); sleep 0.1 2>/dev/null || { sleep 1; n=$((n - 9)); }; done
k KILL
exit 0`
/** Channels that sshd allows besides those of the limits. */
const KEPT = 2
const IN_GROUP = `kill -s 0 -- "-$g" 2>/dev/null || kill -s 0 "-$g" 2>/dev/null`

/** One connection to a machine, signed in, for all that has something to do there. */
export class Session {
  /** What the machine is: asked once. */
  facts: MachineFacts | null = null
  /** Aborts when the connection is gone, with the reason as a sentence. */
  readonly closed: AbortSignal
  /** Connections that are being made through this one. */
  readonly through: Turns
  readonly #client: Client
  readonly #limits: SshLimits
  readonly #channels: Turns
  /** For ending others, whatever is going on. */
  readonly #kept = new Turns(KEPT)
  readonly #running = new Set<Promise<ScriptEnd>>()
  readonly #over: (why: string) => void
  #users = 0
  #idle: NodeJS.Timeout | null = null

  constructor(client: Client, name: string, limits: SshLimits) {
    this.#client = client
    this.#limits = limits
    this.#channels = new Turns(limits.channels)
    this.through = new Turns(limits.handshakes_through)
    const gone = new AbortController()
    this.closed = gone.signal
    // The first of these: until the last has come, it would be used in vain.
    const over = (why: string) => {
      if (this.#idle !== null) clearTimeout(this.#idle)
      gone.abort(new MachineUnreachable('unreachable', `The connection to ${name} was lost: ${why}.`))
    }
    this.#over = over
    client.on('error', (error) => over(plain(error.message)))
    client.on('end', () => over('the machine has ended it'))
    client.on('close', () => over('it was closed'))
    this.#rest()
  }

  /**
   * Starts a script once there is a channel for it; rejects when `signal` aborts before. A machine that allows fewer
   * channels than we do is asked again when one has become free.
   */
  async start(script: Script, signal: AbortSignal): Promise<RunningScript> {
    const leave = this.#enter()
    try {
      const waiting = AbortSignal.any([signal, this.closed])
      const done = await this.#channels.take(waiting)
      try {
        for (let alone = false; ;) {
          const running = this.#begin(script)
          const admitted = await unlessAborted(running.admitted, waiting).catch((error: unknown) => {
            running.abandon('nobody waits for it any more')
            throw error
          })
          const others = [...this.#running].filter((each) => each !== running.ended)
          if (admitted || (alone && others.length === 0)) {
            void running.ended.finally(done).finally(leave)
            return running
          }
          // One that has just ended here counts a moment longer there: refused alone once is no answer yet.
          alone = others.length === 0
          if (!alone) await unlessAborted(Promise.race(others), waiting)
        }
      } catch (error) {
        done()
        throw error
      }
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Ends what a script has started, itself included. Resolves when that was told to the machine, or cannot be. */
  async end(pid: number, grace_ms: number): Promise<void> {
    const setting = `g=${pid}; n=${Math.ceil(grace_ms / 100)}`
    await this.#beside(`${setting}${END_GROUP}`, grace_ms + this.#limits.give_up, this.#kept)
  }

  /** Whether something of a script's group still runs. */
  async isRunning(pid: number): Promise<boolean> {
    return (await this.#beside(`g=${pid}; ${IN_GROUP}`, this.#limits.give_up, this.#channels)) === 0
  }

  /** A way from the machine to another one. */
  async tunnel(address: string, port: number, signal: AbortSignal): Promise<Duplex> {
    const leave = this.#enter()
    const given_up = AbortSignal.any([signal, this.closed])
    const channel = await new Promise<Duplex>((resolve, reject) => {
      given_up.addEventListener('abort', () => reject(given_up.reason as Error), { once: true })
      given_up.throwIfAborted()
      this.#client.forwardOut('127.0.0.1', 0, address, port, (error, opened) => {
        if (error) return reject(error)
        if (given_up.aborted) opened.destroy()
        resolve(opened)
      })
    }).catch((error: unknown) => {
      leave()
      throw error
    })
    // What goes through it is over with it, whatever the library says of the channel.
    const onClosed = () => {
      channel.destroy()
      channel.emit('close')
    }
    this.closed.addEventListener('abort', onClosed, { once: true })
    channel.once('close', () => {
      this.closed.removeEventListener('abort', onClosed)
      leave()
    })
    return channel
  }

  /** A channel to what the account's key starts; see {@link openDoor}. */
  async door(signal: AbortSignal): Promise<Duplex> {
    const leave = this.#enter()
    try {
      const done = await this.#channels.take(AbortSignal.any([signal, this.closed]))
      return await openDoor(this.#client, this.closed, () => {
        done()
        leave()
      })
    } catch (error) {
      leave()
      throw error
    }
  }

  close(): void {
    this.#over('it was closed')
    this.#client.end()
    this.#client.destroy()
  }

  /** Runs a short script; null when it did not end in time. */
  async #beside(script: string, limit_ms: number, turns: Turns): Promise<number | null> {
    const leave = this.#enter()
    const late = AbortSignal.timeout(limit_ms)
    try {
      const done = await turns.take(AbortSignal.any([late, this.closed]))
      const running = this.#begin({ script, onOutput: () => undefined })
      const timer = setTimeout(() => running.abandon('it did not answer'), limit_ms)
      const end = await running.ended
      clearTimeout(timer)
      done()
      return end.kind === 'exit' ? end.code : null
    } catch {
      return null
    } finally {
      leave()
    }
  }

  #begin(script: Script): RunningScript {
    const running = startScript(this.#client, this.closed, script)
    this.#running.add(running.ended)
    void running.ended.finally(() => this.#running.delete(running.ended))
    return running
  }

  #enter(): () => void {
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#users++
    let left = false
    return () => {
      if (left) return
      left = true
      this.#users--
      this.#rest()
    }
  }

  #rest(): void {
    if (this.#users > 0 || this.closed.aborted) return
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.close(), this.#limits.idle).unref()
  }
}
