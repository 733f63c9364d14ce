import { closeSync, openSync } from 'node:fs'

/** Makes the file for its owner alone, where it is missing: SQLite would let everybody on the machine read it. */
export function createPrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600))
}
