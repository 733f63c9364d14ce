import type { Duplex } from 'node:stream'
import type { Client } from 'ssh2'
import { MachineUnreachable, type MachineFacts } from '../../modules/machines.ts'
import { startScript, type RunningScript, type Script } from './exchange.ts'
import { plain } from './sign-in.ts'
import type { SshLimits } from './target.ts'
import { Turns } from './turns.ts'

/** Ends a group: TERM, and KILL after the grace. BusyBox takes no `--`, dash nothing without. */
const END_GROUP = `
k() { kill -s "$1" -- "-$g" 2>/dev/null || kill -s "$1" "-$g" 2>/dev/null || kill -s "$1" "$g" 2>/dev/null; }
k TERM || exit 0
while [ "$n" -gt 0 ] && k 0; do n=$((n - 1)); sleep 0.1 2>/dev/null || { sleep 1; n=$((n - 9)); }; done
k KILL
exit 0`
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
  #users = 0
  #idle: NodeJS.Timeout | null = null

  constructor(client: Client, name: string, limits: SshLimits) {
    this.#client = client
    this.#limits = limits
    this.#channels = new Turns(limits.channels)
    this.through = new Turns(limits.handshakes_through)
    const gone = new AbortController()
    this.closed = gone.signal
    let why = 'it was closed'
    client.on('error', (error) => (why = plain(error.message)))
    client.on('close', () => {
      if (this.#idle !== null) clearTimeout(this.#idle)
      gone.abort(new MachineUnreachable('unreachable', `The connection to ${name} was lost: ${why}.`))
    })
    this.#rest()
  }

  /** Starts a script once there is a channel for it; rejects when `signal` aborts before. */
  async start(script: Script, signal: AbortSignal): Promise<RunningScript> {
    const leave = this.#enter()
    try {
      const done = await this.#channels.take(AbortSignal.any([signal, this.closed]))
      const running = startScript(this.#client, this.closed, script)
      void running.ended.finally(done).finally(leave)
      return running
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Ends what a script has started, itself included. Resolves when that was told to the machine, or cannot be. */
  async end(pid: number, grace_ms: number): Promise<void> {
    const setting = `g=${pid}; n=${Math.ceil(grace_ms / 100)}`
    await this.#beside(`${setting}${END_GROUP}`, grace_ms + this.#limits.give_up)
  }

  /** Whether something of a script's group still runs. */
  async isRunning(pid: number): Promise<boolean> {
    return (await this.#beside(`g=${pid}; ${IN_GROUP}`, this.#limits.give_up)) === 0
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

  close(): void {
    this.#client.end()
    this.#client.destroy()
  }

  /** Runs a short script in one of the channels that are kept for that; null when it did not end in time. */
  async #beside(script: string, limit_ms: number): Promise<number | null> {
    const leave = this.#enter()
    const running = startScript(this.#client, this.closed, { script, onOutput: () => undefined })
    const timer = setTimeout(() => running.abandon('it did not answer'), limit_ms)
    const end = await running.ended
    clearTimeout(timer)
    leave()
    return end.kind === 'exit' ? end.code : null
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
