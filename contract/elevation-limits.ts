/** Limits of asking for a role for a while. */
export const ELEVATION_LIMITS = {
  /** Roles that decide. */
  approvers: 5,
  /** A day. */
  minutes: 1440,
  reason: 1000,
  /** Requests of one user within 24 hours. */
  requests_a_day: 20,
  /** Of each kind in the list: one's own, others'. */
  listed: 50,
  /** Hours after which a request that nobody has decided lapses. */
  request_hours: 24,
} as const
