const HOUR_MS = 3_600_000

/** A session ends after twelve hours without a request. */
export const SESSION_IDLE_MS = 12 * HOUR_MS
/** It also ends after thirty days in any case. */
export const SESSION_MAX_MS = 30 * 24 * HOUR_MS
/** `last_seen_at` and `last_used_at` are written at most this often, so that a read does not cost a write. */
export const SEEN_EVERY_MS = 60_000
