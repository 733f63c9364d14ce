import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'

const DOCS = join(import.meta.dirname, '../docs')

/**
 * Expects that the part of `docs/<file>` between its `<!-- generated -->` marks is `text`. With `REEVE_UPDATE_DOCS=1` it
 * is written instead; what stands outside the marks is a person's.
 */
export function expectGenerated(file: string, text: string): void {
  const path = join(DOCS, file)
  const page = readFileSync(path, 'utf8')
  const parts = /^([^]*<!-- generated[^>]*-->\n)([^]*)(<!-- end -->[^]*)$/.exec(page)
  if (parts === null) throw new Error(`docs/${file} has no <!-- generated --> … <!-- end -->.`)
  const [, head, found, tail] = parts
  const wanted = `\n${text.trim()}\n\n`
  if (process.env.REEVE_UPDATE_DOCS === '1') writeFileSync(path, `${head}${wanted}${tail}`)
  else expect(found, `docs/${file} is out of date: run the tests with REEVE_UPDATE_DOCS=1`).toBe(wanted)
}

export function readDocs(file: string): string {
  return readFileSync(join(DOCS, file), 'utf8')
}
