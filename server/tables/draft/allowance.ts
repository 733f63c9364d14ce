import { say } from '../../kernel/sentence.ts'
import { TableError } from '../shape/table-error.ts'

const MIB = 1024 * 1024
/**
 * What is written while a file is read may be this many times its size: sheets are compressed by a factor of 5 to 100,
 * text by less.
 */
const TIMES = 200
/** But any file may grow to LEAST, and none beyond MOST. */
const LEAST = 128 * MIB
const MOST = 4096 * MIB
/** The cost of a row, whatever its content. */
const ROW_COST = 16
/** The time for reading a file: this, plus this much for each MiB. */
const READING_MS = 30_000
const READING_MS_PER_MIB = 5000

/** Limits how far one file may grow while it is read: a few kilobytes can reference the same text a million times. */
export class Allowance {
  /** Bytes. */
  readonly most: number
  #spent = 0

  /** `size`: bytes of the file. */
  constructor(size: number) {
    this.most = Math.min(MOST, Math.max(LEAST, size * TIMES))
  }

  /** Accounts for a row of this many characters. @throws {TableError} too_large */
  spend(characters: number): void {
    this.#spent += characters + ROW_COST
    if (this.#spent > this.most) throw this.exceeded()
  }

  /** Accounts for this many rows without their content. @throws {TableError} too_large */
  spendRows(rows: number): void {
    this.spend((rows - 1) * ROW_COST)
  }

  exceeded(): TableError {
    const most = Math.round(this.most / MIB)
    return new TableError(
      'too_large',
      say`This file unpacks to more than ${most} MB, which is more than a file of its size may hold.`,
    )
  }
}

/** Milliseconds that reading a file of `size` bytes may take, at most `most`. */
export function readingTime(size: number, most: number): number {
  return Math.min(most, READING_MS + (size / MIB) * READING_MS_PER_MIB)
}
