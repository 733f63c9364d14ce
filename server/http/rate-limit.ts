import { isIPv6 } from 'node:net'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'

const WINDOW_MS = 60_000
const SWEEP_AT = 10_000

interface Bucket {
  tokens: number
  at: number
}

/**
 * Token bucket per address: `perMinute` requests at once, refilled evenly over a minute.
 * Lives in memory: it slows guessing down, it does not count anything that must survive a restart.
 * The returned function throws {AppError} too_many_attempts.
 */
export function rateLimit(perMinute: number, now: () => number = Date.now): (address: string) => void {
  const buckets = new Map<string, Bucket>()
  return (address) => {
    const key = network(address)
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
      const seconds = Math.ceil(((1 - bucket.tokens) * WINDOW_MS) / perMinute / 1000)
      throw new AppError('too_many_attempts', say`Too many requests from this address. Try again in ${seconds} s.`, {
        retryAfter: seconds,
      })
    }
    bucket.tokens -= 1
  }
}

/** An IPv6 subscriber owns a whole /64, so that is what counts as one address. */
function network(address: string): string {
  if (!isIPv6(address)) return address
  if (address.startsWith('::ffff:')) return address.slice(7)
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const full =
    tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
  return full.slice(0, 4).join(':')
}

/** Forgets addresses whose bucket is full again; if an attack keeps all of them busy, forgets the oldest half. */
function sweep(buckets: Map<string, Bucket>, time: number): void {
  for (const [key, bucket] of buckets) if (time - bucket.at >= WINDOW_MS) buckets.delete(key)
  if (buckets.size < SWEEP_AT) return
  let drop = SWEEP_AT / 2
  for (const key of buckets.keys()) if (drop-- > 0) buckets.delete(key)
}
