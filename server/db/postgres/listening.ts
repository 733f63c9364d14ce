import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { OperatorProblem } from '../../kernel/operator-problem.ts'
import { StorageAway } from '../../kernel/storage-failure.ts'
import { dropConnection } from './drop-connection.ts'
import { GOODBYE, LASTING_SESSION } from './postgres-limits.ts'
import { postgresProblem } from './postgres-problem.ts'
import { withSession, type Connecting } from './session-settings.ts'

/** The channel of all processes on a database. */
export const CHANNEL = 'reeve'
/** Milliseconds between two messages to itself. */
const BEAT = 5000
/** Milliseconds without any message, after which nothing arrives any more. */
const UNHEARD = 15_000
/** Milliseconds in which a connection must be made, and the first message of a start be heard. */
const CONNECTED = 2000
const FIRST_HEARD = 5000
/** Milliseconds before the next attempt. */
const RECONNECT = 500

export interface ListeningOptions {
  readonly driver: typeof pg
  readonly url: string
  readonly receive: (payload: string) => void
  /** Something may have been lost. */
  readonly missed: () => void
  readonly onError: (error: Error) => void
  /** Sends an empty message to the channel, by another connection than this one. */
  readonly send: (channel: string) => Promise<void>
}

/**
 * The connection on which wake-ups of other processes arrive. Every 5 seconds the process sends a message to itself;
 * where nothing is heard for 15, the connection is replaced, because one that leads nowhere looks like one on which
 * nothing happens.
 */
export class Listening {
  readonly #options: ListeningOptions
  /** Only this process listens to it. */
  readonly #own = `reeve_${randomBytes(8).toString('hex')}`
  #client: pg.Client | null = null
  #heard = 0
  #sending = false
  #onHeard: (() => void) | undefined
  #beats: NodeJS.Timeout | undefined
  #closed = false

  private constructor(options: ListeningOptions) {
    this.#options = options
  }

  /** @throws {OperatorProblem} when the connection fails or what this process sends doesn't arrive on it */
  static async open(options: ListeningOptions): Promise<Listening> {
    const listening = new Listening(options)
    await listening.#connect().catch((error: unknown) => {
      throw postgresProblem(options.url, error)
    })
    try {
      await listening.#hearFirst()
    } catch (error) {
      await listening.close()
      throw error
    }
    listening.#beats = setInterval(() => void listening.#beat(), BEAT).unref()
    return listening
  }

  get hears(): boolean {
    return this.#client !== null
  }

  /** The process of PostgreSQL that serves this connection. */
  get pid(): number | undefined {
    return (this.#client as { processID?: number } | null)?.processID
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#beats)
    const client = this.#client
    if (client === null) return
    const late = setTimeout(() => dropConnection(client), GOODBYE)
    await client.end()
    clearTimeout(late)
  }

  async #hearFirst(): Promise<void> {
    const heard = new Promise<boolean>((resolve) => (this.#onHeard = () => resolve(true)))
    let late: NodeJS.Timeout | undefined
    const limit = new Promise<boolean>((resolve) => (late = setTimeout(resolve, FIRST_HEARD, false)))
    try {
      await this.#options.send(this.#own)
      if (await Promise.race([heard, limit])) return
    } finally {
      clearTimeout(late)
    }
    throw new OperatorProblem(
      'PostgreSQL does not deliver messages (LISTEN) on this connection, as behind pgbouncer in transaction mode: set REEVE_DATABASE_LISTEN_URL to an address of PostgreSQL itself.',
    )
  }

  async #connect(): Promise<void> {
    const client = await withSession(this.#options.url, LASTING_SESSION, (to) => this.#open(to))
    if (this.#closed) return client.end()
    this.#heard = performance.now()
    this.#client = client
    client.once('end', () => this.#reconnect(client))
  }

  async #open(to: Connecting): Promise<pg.Client> {
    const { driver, onError, receive } = this.#options
    const client = new driver.Client({ ...to, keepAlive: true })
    client.on('error', onError)
    client.on('notification', ({ channel, payload = '' }) => {
      this.#heard = performance.now()
      if (channel === CHANNEL) receive(payload)
      else this.#onHeard?.()
    })
    const late = setTimeout(() => dropConnection(client), CONNECTED)
    try {
      await client.connect()
      await client.query(`listen ${this.#own}`)
      // Last: by it, the command line sees that a process runs.
      await client.query(`listen ${CHANNEL}`)
      return client
    } catch (error) {
      dropConnection(client)
      throw error
    } finally {
      clearTimeout(late)
    }
  }

  #reconnect(lost: pg.Client): void {
    if (this.#client !== lost) return
    this.#client = null
    this.#tryAgain()
  }

  #tryAgain(): void {
    if (this.#closed) return
    setTimeout(() => {
      this.#connect().then(
        () => this.#options.missed(),
        (error: Error) => {
          this.#options.onError(error)
          this.#tryAgain()
        },
      )
    }, RECONNECT).unref()
  }

  async #beat(): Promise<void> {
    const client = this.#client
    if (client === null) return
    if (this.#isUnheard()) {
      // After a pause of the whole process, what has arrived meanwhile is read first.
      await new Promise((read) => setImmediate(read))
      if (!this.#isUnheard() || this.#client !== client) return
      this.#options.onError(new StorageAway(`Nothing was heard of other processes for ${UNHEARD} ms.`))
      dropConnection(client)
      return this.#reconnect(client)
    }
    if (this.#sending) return
    this.#sending = true
    try {
      await this.#options.send(this.#own).catch(async () => {
        // No other connection can be had, which is not this one's fault.
        await client.query(`listen ${CHANNEL}`)
        this.#heard = performance.now()
      })
    } catch {
      // It has broken, which it tells by itself.
    } finally {
      this.#sending = false
    }
  }

  #isUnheard(): boolean {
    return performance.now() - this.#heard > UNHEARD
  }
}
