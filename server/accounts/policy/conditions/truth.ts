/**
 * Three-valued logic. What cannot be told for sure never counts in favour of a call: a rule that allows needs `true`, one
 * that asks or denies applies unless it is surely `false`.
 */
export type Truth = 'true' | 'false' | 'unknown'

/** Of nothing: true. */
export function allOfThem(truths: readonly Truth[]): Truth {
  if (truths.includes('false')) return 'false'
  return truths.includes('unknown') ? 'unknown' : 'true'
}

/** Of nothing: false. */
export function anyOfThem(truths: readonly Truth[]): Truth {
  if (truths.includes('true')) return 'true'
  return truths.includes('unknown') ? 'unknown' : 'false'
}
