import { createHash } from 'node:crypto'
import type { Row } from './snapshot.ts'

const MODULUS = 1n << 128n

/** A checksum of a table's rows that doesn't depend on their order, which differs between databases. */
export class RowSum {
  #sum = 0n
  #rows = 0

  /** `text` is the row as JSON. */
  add(text: string): void {
    const digest = createHash('sha256').update(text).digest('hex')
    this.#sum = (this.#sum + BigInt(`0x${digest.slice(0, 32)}`)) % MODULUS
    this.#rows++
  }

  addRow(row: Row): void {
    this.add(JSON.stringify(row))
  }

  result(): { rows: number; sum: string } {
    return { rows: this.#rows, sum: this.#sum.toString(16).padStart(32, '0') }
  }
}
