import { setTimeout as sleep } from 'node:timers/promises'
import { contract } from '../../contract/index.ts'
import { openFeed } from '../stage/activity-feed.ts'
import type { Person } from './person.ts'
import type { Random } from './random.ts'

/** A page that a person has open: reads the activity stream, and resumes whenever it breaks. */
export class Reader {
  /** Ids of stored events, as they came. */
  readonly ids: number[] = []
  /** Where it began to read. */
  start = 0
  resets = 0
  /** How often the stream was opened. */
  opened = 0
  readonly #person: Person
  readonly #random: Random
  #stopped = false
  #hangUp: (() => void) | null = null
  #loop: Promise<void> | null = null

  constructor(person: Person, random: Random) {
    this.#person = person
    this.#random = random
  }

  async begin(): Promise<void> {
    const { cursor } = await this.#person.ask('activity', contract.chat.activity, {}, { againFor: 60_000 })
    this.start = cursor
    this.#loop = this.#read()
  }

  get cursor(): number {
    return this.ids.at(-1) ?? this.start
  }

  async #read(): Promise<void> {
    const { history, name, client } = this.#person
    while (!this.#stopped) {
      // A person who signs out and in again in the same browser: until then, nothing is told.
      const feed = await openFeed(
        client,
        this.opened === 0 ? { after: this.start } : { lastEventId: this.cursor },
      ).catch(() => null)
      if (feed === null) {
        await sleep(200)
        continue
      }
      this.opened++
      let seen = 0
      const take = (): void => {
        for (; seen < feed.received.length; seen++) {
          const { id, event } = feed.received[seen]!
          if (event === 'reset') this.resets++
          if (id === null || event === 'snapshot' || event === 'reset' || event === 'end') continue
          if (id <= this.cursor) history.violation('events come in order', `${name}: ${id} after ${this.cursor}`)
          this.ids.push(id)
        }
      }
      const left = Promise.withResolvers<void>()
      this.#hangUp = left.resolve
      const timer = setInterval(take, 50)
      // People close their laptops.
      const pause = this.#random.next() < 0.5 ? this.#random.between(1000, 8000) : 60_000
      const closing = setTimeout(left.resolve, pause)
      await Promise.race([feed.ended, left.promise])
      clearTimeout(closing)
      await feed[Symbol.asyncDispose]()
      clearInterval(timer)
      take()
      if (!this.#stopped) await sleep(this.#random.between(20, 200))
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#hangUp?.()
    await this.#loop
  }
}
