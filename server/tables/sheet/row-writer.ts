import { closeSync, openSync, writeSync } from 'node:fs'

const BATCH = 256 * 1024

/**
 * Writes rows as clean CSV for the engine: comma, double quotes, LF; an empty cell is nothing at all. It writes at once and waits for the
 * disk, so a row that a file repeats a million times takes no memory. For processes that do nothing else.
 */
export class RowWriter {
  /** So far, of rows and of characters. */
  rows = 0
  length = 0
  readonly #file: number
  #batch = ''
  #closed = false

  constructor(path: string) {
    this.#file = openSync(path, 'w', 0o600)
  }

  write(cells: readonly (string | null)[]): void {
    let line = ''
    for (let i = 0; i < cells.length; i++) {
      if (i > 0) line += ','
      const cell = cells[i]
      if (cell !== null && cell !== undefined) line += quoted(cell)
    }
    this.#batch += `${line}\n`
    this.length += line.length + 1
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

/** In quotes where anything in it could be taken for something else: blanks at its ends, too. */
function quoted(cell: string): string {
  for (let i = 0; i < cell.length; i++) {
    const code = cell.charCodeAt(i)
    if (code <= 0x22 || code === 0x2c || code > 0x7f) return `"${cell.replaceAll('"', '""')}"`
  }
  return cell
}
