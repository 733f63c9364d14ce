import { createReadStream, createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Reading, SheetDraft, SheetReader } from './sheet-draft.ts'
import { sqlName, sqlText } from './sql-text.ts'
import { TableError } from './table-error.ts'
import { say } from '../kernel/sentence.ts'
import { COLUMN_LIMIT } from './table-shape.ts'
import { findEncoding, transcode } from './text-encoding.ts'

/** A list of objects, or one object per line. Objects within objects stay JSON text. */
export const readJson: SheetReader = async (reading) => {
  const { path, scratch } = reading
  const { encoding, valid } = await findEncoding(path, reading.rows !== null)
  const notices: string[] = []
  let text = path
  if (encoding !== 'utf-8' || !valid) {
    text = join(scratch, 'text.json')
    const broken = await transcode(path, encoding, createWriteStream(text))
    if (broken > 0) notices.push(`${broken} places are no valid ${encoding.toUpperCase()}; they show as \uFFFD.`)
  }
  let sheet: SheetDraft
  try {
    sheet = await draft(reading, text, notices)
  } catch (error) {
    if (error instanceof TableError) throw error
    sheet = await readValidLines(reading, text, notices)
  }
  return { encoding, delimiter: null, sheets: [sheet] }
}

async function draft(
  { duck, rows }: Reading,
  path: string,
  notices: readonly string[],
  lines = false,
): Promise<SheetDraft> {
  // One level: whatever is deeper is JSON, and so is every number, with all its digits.
  const from = `read_json(${sqlText(path)}, format = '${lines ? 'newline_delimited' : 'auto'}', sample_size = ${rows ?? -1}, maximum_depth = 1, compression = 'uncompressed', maximum_object_size = 16777216)`
  const described = await duck.rows(`DESCRIBE SELECT * FROM ${from}`)
  const labels = described.map(([name]) => String(name))
  if (labels.length > COLUMN_LIMIT)
    throw new TableError(
      'too_large',
      say`The objects have ${labels.length} different members; at most ${COLUMN_LIMIT} can be read.`,
    )
  const types = described.map(([, type]) => String(type))
  const cells = labels.map((label, i) => {
    const column = sqlName(label)
    return `${types[i] === 'JSON' ? `${column} ->> '$'` : `CAST(${column} AS VARCHAR)`} AS c${i}`
  })
  return {
    name: 'Sheet1',
    columns: labels.map((label) => ({ label, text: false })),
    select: `SELECT ${cells.join(', ')} FROM ${from}`,
    notices,
  }
}

/** One object per line, without the lines that are none. */
async function readValidLines(reading: Reading, path: string, found: readonly string[]): Promise<SheetDraft> {
  const clean = join(reading.scratch, 'clean.json')
  const out = createWriteStream(clean)
  const bad: number[] = []
  let line = 0
  let good = 0
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    line++
    if (text.trim() === '') continue
    if (!isObject(text)) {
      bad.push(line)
      // A file that begins like this is not one object per line.
      if (good === 0 && bad.length > 100) break
      continue
    }
    good++
    if (!out.write(`${text}\n`)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
  if (good === 0)
    throw new TableError('unreadable', say`This file is neither a JSON list of objects nor one JSON object per line.`)
  const first = bad.slice(0, 5).join(', ')
  return draft(
    reading,
    clean,
    [...found, `${bad.length} lines are no JSON objects and were left out. First of them: line ${first}.`],
    true,
  )
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value)
  } catch {
    return false
  }
}
