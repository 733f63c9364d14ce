import { closeSync, openSync, writeSync } from 'node:fs'
import type { Allowance } from '../draft/allowance.ts'

const BATCH = 256 * 1024

/**
 * Writes rows as clean CSV for the engine: comma, double quotes, LF; an empty cell is an empty field. It writes
 * synchronously and waits for the disk, so a row that a file repeats a million times takes no memory. For processes
 * that do nothing else.
 */
export class RowWriter {
  /** So far. */
  rows = 0
  readonly #file: number
  readonly #allowance: Allowance
  #batch = ''
  #closed = false

  constructor(path: string, allowance: Allowance) {
    this.#allowance = allowance
    this.#file = openSync(path, 'w', 0o600)
  }

  /** @throws {TableError} too_large */
  write(cells: readonly (string | null)[]): void {
    let line = ''
    for (let i = 0; i < cells.length; i++) {
      if (i > 0) line += ','
      const cell = cells[i]
      if (cell !== null && cell !== undefined) line += quoted(cell)
    }
    this.#batch += `${line}\n`
    this.#allowance.spend(line.length)
    this.rows++
    if (this.#batch.length > BATCH) this.#flush()
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#flush()
    closeSync(this.#file)
  }

  #flush(): void {
    const bytes = Buffer.from(this.#batch)
    for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at)
    this.#batch = ''
  }
}

/** Quoted if anything in it could be taken for something else, including blanks at its ends. */
function quoted(cell: string): string {
  for (let i = 0; i < cell.length; i++) {
    const code = cell.charCodeAt(i)
    if (code <= 0x22 || code === 0x2c || code > 0x7f) return `"${cell.replaceAll('"', '""')}"`
  }
  return cell
}
