import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'

/** 19 MiB, two passes, one lane: OWASP's first recommendation for argon2id, about 20 ms here. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Hash of a random text that was discarded: checking against it takes as long as against a real one, and never
 * succeeds.
 */
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$BSQ0ocjbQnOhmiyC15f6DQ$9lw03cKDEZO29oviVF5LWA6mogNuXW9E85dyEnI7FvA'

/** Half of the threads Node has for such work; files, name resolution and everything else need the others. */
export const AT_ONCE = 2
/** More than a single address may send in a row before it is blocked, so one address alone never fills the queue. */
export const MOST_WAITING = 100
const RETRY_SECONDS = 3

/**
 * Hashes and checks passwords, few at once: each takes a processor and 19 MiB, and strangers can trigger one. Waiting
 * requests are served in order; beyond `MOST_WAITING` they are refused at once.
 */
export class Passwords {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** How many are waiting for their turn. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** argon2id hash in PHC format. @throws {AppError} sign_in_busy */
  hash(password: string): Promise<string> {
    return this.#turn(async () => {
      const { hash } = await argon2()
      return hash(normal(password), COST)
    })
  }

  /**
   * Whether the password matches; takes the same time for an account that does not exist (`null`).
   * @throws {AppError} sign_in_busy
   */
  verify(password_hash: string | null, password: string): Promise<boolean> {
    return this.#turn(async () => {
      const { verify } = await argon2()
      const matches = await verify(password_hash ?? NOBODY, normal(password))
      return password_hash !== null && matches
    })
  }

  async #turn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < AT_ONCE) this.#running++
    else if (this.#waiting.length >= MOST_WAITING) throw busy()
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      // The place passes directly to the next in line, so latecomers cannot jump the queue.
      if (next === undefined) this.#running--
      else next()
    }
  }
}

function busy(): AppError {
  return new AppError(
    'sign_in_busy',
    say`Many people are signing in right now. Try again in ${RETRY_SECONDS} seconds.`,
    { retryAfter: RETRY_SECONDS },
  )
}

/** Loaded only when someone signs in, so that start-up does not pay for it. */
function argon2() {
  return import('@node-rs/argon2')
}

/** Keyboards of different systems compose the same character differently. */
function normal(password: string): string {
  return password.normalize('NFC')
}
