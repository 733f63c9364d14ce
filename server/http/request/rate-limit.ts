import type { Route } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { addressNetwork } from '../../kernel/network/address-network.ts'
import { say } from '../../kernel/sentence.ts'

const WINDOW_MS = 60_000
const SWEEP_AT = 10_000

/**
 * Counts a request in the whole installation; answers after how many seconds another one is taken, null for one that is
 * within the limit.
 */
export type SharedLimit = (key: string, perMinute: number) => Promise<number | null>

interface Bucket {
  tokens: number
  at: number
}

/**
 * Token bucket per address: `perMinute` requests at once, refilled evenly over a minute. Kept in memory: it slows
 * guessing down and counts nothing that must survive a restart. `now` is in milliseconds of a monotonic clock: if a
 * wall clock were set back, everyone would be refused until it caught up. The returned function throws {AppError}
 * too_many_attempts.
 */
export function rateLimit(perMinute: number, now: () => number = () => performance.now()): (address: string) => void {
  const buckets = new Map<string, Bucket>()
  return (address) => {
    const key = addressNetwork(address)
    const time = now()
    let bucket = buckets.get(key)
    if (bucket === undefined) {
      if (buckets.size >= SWEEP_AT) sweep(buckets, time)
      bucket = { tokens: perMinute, at: time }
      buckets.set(key, bucket)
    }
    bucket.tokens = Math.min(perMinute, bucket.tokens + ((time - bucket.at) * perMinute) / WINDOW_MS)
    bucket.at = time
    if (bucket.tokens < 1) {
      throw tooMany(Math.ceil(((1 - bucket.tokens) * WINDOW_MS) / perMinute / 1000))
    }
    bucket.tokens -= 1
  }
}

/** The same for all processes together, after the bucket of this one. @throws {AppError} too_many_attempts */
export async function limitShared(
  count: SharedLimit,
  route: Pick<Route, 'method' | 'path' | 'rateLimit'>,
  address: string,
): Promise<void> {
  if (route.rateLimit === undefined) return
  const seconds = await count(`${route.method} ${route.path} ${addressNetwork(address)}`, route.rateLimit)
  if (seconds !== null) throw tooMany(seconds)
}

function tooMany(seconds: number): AppError {
  return new AppError('too_many_attempts', say`Too many requests from this address. Try again in ${seconds} s.`, {
    retryAfter: seconds,
  })
}

/** Forgets addresses whose bucket is full again; if an attack keeps all of them busy, forgets the oldest half. */
function sweep(buckets: Map<string, Bucket>, time: number): void {
  for (const [key, bucket] of buckets) if (time - bucket.at >= WINDOW_MS) buckets.delete(key)
  if (buckets.size < SWEEP_AT) return
  let drop = SWEEP_AT / 2
  for (const key of buckets.keys()) if (drop-- > 0) buckets.delete(key)
}
