import { createHash } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { databaseProblems, unsearchable } from '../db/integrity.ts'
import { rebuildSearchIndex } from '../db/search-segments.ts'
import type { Progress, StoredBytes } from './backup/backup-source.ts'
import { type Finding, FindingDraft } from './verify-report.ts'

/** Bytes without a row may be about to get one, so younger ones are left alone. */
const SAFE_AGE_MS = 24 * 3_600_000
const ROWS_AT_ONCE = 500
const SEGMENTS = 200

export interface VerifiedStore extends StoredBytes {
  list(cursor: string | null): Promise<{ objects: { id: string; written_at: number }[]; next: string | null }>
  remove(id: string): Promise<void>
}

export interface VerifiedPlace {
  readonly db: Database
  readonly files: VerifiedStore
  readonly packages: StoredBytes
  verifyAudit(): Promise<{
    entries: number
    first_broken_id: number | null
    missing_from?: number
    unchained: number
    unchained_since?: string
  }>
}

export interface VerifyOptions {
  /** Compare only sizes, without reading contents. */
  readonly quick: boolean
  /** Repair what is safe to repair: bytes without a row, and the search index. */
  readonly repair: boolean
  readonly progress: Progress
  readonly now?: () => number
}

/** Checks whether everything the database says is true: reads every file row and, unless quick, all stored bytes. */
export async function verifyPlace(place: VerifiedPlace, options: VerifyOptions): Promise<Finding[]> {
  const { progress } = options
  progress({ doing: 'database', done: 0, of: null })
  const database = new FindingDraft('database')
  database.lookedAt = 1
  for (const problem of await databaseProblems(place.db)) database.add(problem)
  if (database.finding().count > 0) database.note = 'Stop the service and restore the newest backup.'

  const audit = new FindingDraft('audit log')
  const chain = await place.verifyAudit()
  audit.lookedAt = chain.entries
  const { first_broken_id, missing_from, unchained, unchained_since } = chain
  if (first_broken_id !== null)
    audit.add(`Entry ${first_broken_id} does not follow from the one before: it was changed outside of Reeve.`)
  if (missing_from !== undefined)
    audit.add(`Entries from ${missing_from} on are missing: they were removed outside of Reeve.`)
  if (audit.finding().count > 0) audit.note = 'Compare with an older backup to see what was changed.'
  if (unchained_since !== undefined)
    audit.add(`${unchained} entries are not part of the chain, the oldest since ${unchained_since}.`)
  return [
    database.finding(),
    audit.finding(),
    await verifySearch(place.db, options.repair),
    await verifyFiles(place, options),
    await verifyOrphans(place, options),
    await verifyPackages(place, options),
  ]
}

async function verifySearch(db: Database, repair: boolean): Promise<Finding> {
  const draft = new FindingDraft('search index')
  const { segments, lost } = await unsearchable(db, SEGMENTS)
  draft.lookedAt = Math.min(segments, SEGMENTS)
  for (const id of lost) draft.add(`Segment ${id} is not found.`)
  if (lost.length === 0) return draft.finding()
  if (repair) await rebuildSearchIndex(db.write)
  draft.note = repair ? 'The index was rebuilt.' : 'reeve verify --repair makes the index anew.'
  return draft.finding({ harmless: repair })
}

async function verifyFiles({ db, files }: VerifiedPlace, { quick, progress }: VerifyOptions): Promise<Finding> {
  const draft = new FindingDraft('files')
  for (let after = ''; ;) {
    const rows = await db.read
      .selectFrom('file')
      .select(['file_id', 'stored_as', 'size', 'sha256'])
      .where('file_id', '>', after)
      .orderBy('file_id')
      .limit(ROWS_AT_ONCE)
      .execute()
    for (const row of rows) {
      progress({ doing: 'files', done: draft.lookedAt++, of: null })
      const size = await files.size(row.stored_as)
      if (size === null) draft.add(`${row.file_id}: its bytes are missing.`)
      else if (size !== row.size) draft.add(`${row.file_id}: it has ${size} bytes instead of ${row.size}.`)
      else if (!quick && (await digestOf(files.read(row.stored_as))) !== row.sha256)
        draft.add(`${row.file_id}: its bytes are not those that were uploaded.`)
    }
    if (rows.length < ROWS_AT_ONCE) break
    after = rows.at(-1)!.file_id
  }
  if (draft.finding().count > 0) draft.note = 'Restore the bytes from a backup: they are in files/<id> of the archive.'
  return draft.finding()
}

/** Bytes that no row names waste space but do no other harm. */
async function verifyOrphans({ db, files }: VerifiedPlace, options: VerifyOptions): Promise<Finding> {
  const { repair, now = Date.now } = options
  const draft = new FindingDraft('bytes without a file')
  for (let cursor: string | null = null; ;) {
    const page = await files.list(cursor)
    const old = page.objects.filter(({ written_at }) => written_at < now() - SAFE_AGE_MS).map(({ id }) => id)
    draft.lookedAt += page.objects.length
    for (let from = 0; from < old.length; from += ROWS_AT_ONCE) {
      const ids = old.slice(from, from + ROWS_AT_ONCE)
      const rows = await db.read.selectFrom('file').select('stored_as').where('stored_as', 'in', ids).execute()
      const known = new Set(rows.map((row) => row.stored_as))
      for (const id of ids.filter((each) => !known.has(each))) {
        draft.add(id)
        if (repair) await files.remove(id)
      }
    }
    if ((cursor = page.next) === null) break
  }
  if (draft.finding().count > 0) draft.note = repair ? 'They were removed.' : 'The service removes them automatically.'
  return draft.finding({ harmless: true })
}

async function verifyPackages({ db, packages }: VerifiedPlace, { quick }: VerifyOptions): Promise<Finding> {
  const draft = new FindingDraft('packages of modules')
  const versions = await db.read
    .selectFrom('module_version')
    .select(['module', 'version', 'digest', 'stored_as'])
    .execute()
  const backups = await db.read.selectFrom('module_backup').select(['backup', 'stored_as']).execute()
  const named = [
    ...versions.map(({ module, version, digest, stored_as }) => ({
      what: `${module} ${version}: its package`,
      id: stored_as ?? digest,
    })),
    ...backups.map(({ backup, stored_as }) => ({ what: `${backup}: this backup of a module`, id: stored_as })),
  ]
  for (const { what, id } of named) {
    draft.lookedAt++
    if ((await packages.size(id)) === null) draft.add(`${what} is missing.`)
    else if (!quick && (await digestOf(packages.read(id))) !== id.split('-')[0]) draft.add(`${what} is damaged.`)
  }
  if (draft.finding().count > 0) draft.note = 'Install the bundle of that version again.'
  return draft.finding()
}

async function digestOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of bytes) hash.update(piece)
  return hash.digest('hex')
}
