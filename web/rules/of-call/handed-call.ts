/** A call that a rule is to be made of. */
interface HandedCall {
  /** `<module>.<tool>`. */
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

let handed: HandedCall | null = null

/**
 * Hands the arguments of a call to the page of roles. They are kept in memory only: an address would stay in the history
 * of the browser.
 */
export function handCall(call: HandedCall): void {
  handed = call
}

/** The arguments that were handed over for a tool; null after a reload. */
export function handedArguments(tool: string): HandedCall['args'] | null {
  return handed?.tool === tool ? handed.args : null
}

export function forgetHandedCall(): void {
  handed = null
}
