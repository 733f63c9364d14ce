const HOUR_MS = 3_600_000

/** A sign-in ends after twelve hours without a request. */
export const SESSION_IDLE_MS = 12 * HOUR_MS
/** And after thirty days in any case. */
export const SESSION_MAX_MS = 30 * 24 * HOUR_MS
/** `last_seen_at` and `last_used_at` are written at most this often: a read should not cost a write. */
export const SEEN_EVERY_MS = 60_000
