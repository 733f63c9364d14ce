/** What was typed cannot be done; the message says how it is done. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
