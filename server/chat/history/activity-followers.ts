import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ActivityEvent } from '../../../contract/chat.ts'
import type { StreamEvent } from '../../../contract/route.ts'
import type { Database } from '../../db/database.ts'
import { type Activity, READ_TOGETHER } from './activity.ts'

/** Streams told in one turn of the event loop: a few milliseconds' work. */
const TOLD_TOGETHER = 200

/** A stream that is given what is read for its user. */
export interface Follower {
  readonly user_id: string
  /** Id of the newest event it has. */
  readonly reached: number
  deliver(events: readonly StreamEvent[]): void
  fail(error: unknown): void
}

/** The streams of a user that have everything up to the same point. */
interface Party {
  readonly user_id: string
  readonly followers: Set<Follower>
  readonly deaf: () => void
  /** Id of the newest event read for them. */
  point: number
  /** Was woken since it was last read for. */
  woken: boolean
}

/**
 * Reads new events once per user, however many streams the user has, and for many users in one query. In small steps:
 * an event to everybody must not keep waiting the one that concerns a single user.
 */
export class ActivityFollowers {
  readonly #db: Database
  readonly #activity: Activity
  readonly #parties = new Map<string, Party>()
  /** Those that were woken, in order. */
  #woken: Party[] = []
  #reading = false

  constructor(db: Database, activity: Activity) {
    this.#db = db
    this.#activity = activity
  }

  /**
   * From now on the follower is given everything after `reached`; or, if the others of its user are further, the point
   * up to which it must read by itself first, else null.
   */
  join(follower: Follower): number | null {
    const { user_id, reached } = follower
    let party = this.#parties.get(user_id)
    if (party && party.point > reached) return party.point
    if (!party) {
      const deaf = this.#db.onWake(user_id, () => this.#wake(opened))
      const opened: Party = { user_id, followers: new Set(), deaf, point: reached, woken: false }
      party = opened
      this.#parties.set(user_id, party)
      // What was stored before it listened has woken nobody.
      this.#wake(party)
    }
    party.followers.add(follower)
    return null
  }

  leave(follower: Follower): void {
    const party = this.#parties.get(follower.user_id)
    if (!party?.followers.delete(follower) || party.followers.size > 0) return
    party.deaf()
    this.#parties.delete(party.user_id)
  }

  #wake(party: Party): void {
    if (party.woken) return
    party.woken = true
    this.#woken.push(party)
    if (this.#reading) return
    this.#reading = true
    void this.#readAll()
  }

  async #readAll(): Promise<void> {
    while (this.#woken.length > 0) {
      // Whoever is woken in the same moment is read for in the same query.
      await nextTurn()
      await this.#readSome(this.#next())
    }
    this.#reading = false
  }

  /** The newest and the oldest: whoever comes while everybody is being told is told soon, and nobody waits forever. */
  #next(): Party[] {
    const half = READ_TOGETHER / 2
    const some = [...this.#woken.splice(-half), ...this.#woken.splice(0, half)]
    // From here on, a wake-up may tell of something that this query does not see.
    for (const party of some) party.woken = false
    return some.filter(({ followers }) => followers.size > 0)
  }

  async #readSome(parties: readonly Party[]): Promise<void> {
    if (parties.length === 0) return
    try {
      const { events, complete } = await this.#activity.afterEach(parties)
      let told = 0
      for (const party of parties) {
        const own = events.get(party.user_id)
        if (own) {
          party.point = own.at(-1)!.id
          const news = own.map(toStreamEvent)
          for (const follower of party.followers) follower.deliver(news)
          told += party.followers.size
        }
        if (!complete) this.#wake(party)
        if (told < TOLD_TOGETHER) continue
        told = 0
        await nextTurn()
      }
    } catch (error) {
      for (const { followers } of parties) for (const follower of followers) follower.fail(error)
    }
  }
}

/** One object for all streams of a user, so that it is written out once. */
export function toStreamEvent(event: ActivityEvent): StreamEvent {
  return { id: event.id, event: event.type, data: event }
}
