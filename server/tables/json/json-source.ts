import { createReadStream, createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { eachObject, uniqueMembers } from './json-objects.ts'
import type { Reading, SheetDraft, SheetReader } from '../draft/sheet-draft.ts'
import { sqlName, sqlText } from '../shape/sql-text.ts'
import { TableError } from '../shape/table-error.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { COLUMN_LIMIT } from '../shape/table-shape.ts'
import { asUtf8 } from '../draft/text-encoding.ts'

/** A list of objects, or one object per line. Objects within objects stay JSON text. */
export const readJson: SheetReader = async (reading) => {
  const { path, scratch } = reading
  const { encoding: chosen } = reading.choice
  const file = await asUtf8(path, join(scratch, 'text.json'), reading.rows !== null, chosen)
  const { path: text, encoding, encoding_guessed, notices } = file
  let sheet: SheetDraft
  try {
    sheet = await draft(reading, text, notices)
  } catch (error) {
    if (error instanceof TableError) throw error
    sheet = await readValidLines(reading, text, notices)
  }
  return { encoding, encoding_guessed, delimiter: null, sheets: [sheet] }
}

async function draft(reading: Reading, path: string, notices: readonly Sentence[], lines = false): Promise<SheetDraft> {
  const { duck, rows } = reading
  // One level: anything deeper is JSON, and so is every number, with all its digits.
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
  const sheet: SheetDraft = {
    name: 'Sheet1',
    columns: labels.map((label) => ({ label, text: false })),
    select: `SELECT ${cells.join(', ')} FROM ${from}`,
    notices,
  }
  return {
    ...sheet,
    fallback: async (error) => {
      if (!/duplicate key/.test(String(error))) throw error
      return withUniqueMembers(reading, path, sheet)
    },
  }
}

/** The engine refuses objects that name a member twice; as everywhere else, the last one counts. */
async function withUniqueMembers(reading: Reading, path: string, sheet: SheetDraft): Promise<SheetDraft> {
  const clean = join(reading.scratch, 'unique.json')
  const out = createWriteStream(clean)
  for await (const text of eachObject(createReadStream(path, 'utf8'))) {
    const unique = uniqueMembers(text)
    if (unique === null) throw noObjects()
    if (!out.write(`${unique}\n`)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
  const { fallback: _none, ...unique } = await draft(reading, clean, sheet.notices, true)
  return { ...unique, notices: [...sheet.notices, say`Some objects name a member twice; its last value was taken.`] }
}

function noObjects(): TableError {
  return new TableError('unreadable', say`This file is neither a JSON list of objects nor one JSON object per line.`)
}

/** One object per line, skipping the lines that aren't objects. */
async function readValidLines(reading: Reading, path: string, found: readonly Sentence[]): Promise<SheetDraft> {
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
      // A file that begins like this isn't one object per line.
      if (good === 0 && bad.length > 100) break
      continue
    }
    good++
    if (!out.write(`${text}\n`)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
  if (good === 0) throw noObjects()
  const first = bad.slice(0, 5).join(', ')
  return draft(
    reading,
    clean,
    [...found, say`Lines that are not JSON objects and were left out: ${bad.length}. The first are: ${first}.`],
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
