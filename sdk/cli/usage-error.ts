/** The command was used incorrectly; the message says how to use it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
