/** The port through which a run keeps modules' secrets out of what is stored and shown. `app` fills it. */
export interface Secrets {
  /**
   * A value with modules' secrets masked in all its texts, however deeply nested; the very same value if it contains
   * none. The module's own secrets are masked whatever their length, those of other modules from eight characters on.
   */
  mask<T>(module: string, value: T): T
  /** Makes a text unreadable to everyone but this installation. */
  seal(text: string): string
  /** @throws {SealError} when it was sealed with another key */
  open(sealed: string): string
}
