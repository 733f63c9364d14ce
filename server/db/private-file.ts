import { closeSync, openSync } from 'node:fs'

/** Creates the file, owner-only, if it is missing: SQLite would make it readable by everyone on the machine. */
export function createPrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600))
}
