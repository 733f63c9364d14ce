import type { FileEntry } from '../../contract/files.ts'
import type { Caller } from '../../contract/route.ts'
import type { AuditLog } from '../chat/ports/audit-log.ts'
import type { Database, Reader, Trx } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { readRun, type RunToReport } from './read-run.ts'
import type { ReportFiles, WriteWorkbook } from './report-ports.ts'
import { cutNotices, reportName, reportText } from './report-text.ts'

export interface ReportContext {
  readonly db: Database
  readonly audit: Pick<AuditLog, 'record'>
  readonly files: ReportFiles
  readonly workbook: WriteWorkbook
}

export interface Report {
  readonly file: FileEntry
  readonly table_file: FileEntry | null
}

export interface ReportWish {
  /** Who wants it; others than the owner find no run. Null: the owner's routine. */
  readonly caller: Pick<Caller, 'user_id' | 'username' | 'elevated'> | null
  /** What it is called, if not as the conversation. */
  readonly name?: string
  /** Ends the transaction that stores the report: told together with it, or not at all. */
  readonly done?: (trx: Trx, report: Report) => Promise<void>
  readonly signal?: AbortSignal
}

/** Ends the transaction of whoever came second. */
class MadeAlready extends Error {}

/**
 * Makes the report of a run: once, whoever asks and however often. The files, the row that names them and whatever is told
 * of them come in one transaction, so there is never half of one. Where its file was deleted, another one is made.
 * @throws {AppError} not_found, run_active, nothing_to_report, quota_exceeded, payload_too_large
 */
export async function makeReport(context: ReportContext, run_id: string, wish: ReportWish): Promise<Report> {
  const run = await readRun(context.db.read, run_id)
  if (run === null || (wish.caller !== null && run.user_id !== wish.caller.user_id))
    throw new AppError('not_found', say`There is no such run.`)
  if (run.ended_at === null) throw new AppError('run_active', say`The run has not ended yet.`)
  if (run.answer === '' && run.tables.length === 0)
    throw new AppError('nothing_to_report', say`This run has neither an answer nor a table that could be saved.`)
  const before = await madeBefore(context, context.db.read, run)
  if (before !== null) return before
  try {
    return await store(context, run, wish)
  } catch (error) {
    if (!(error instanceof MadeAlready)) throw error
    return (await madeBefore(context, context.db.read, run)) ?? makeReport(context, run_id, wish)
  }
}

async function store(
  { db, audit, files, workbook }: ReportContext,
  run: RunToReport,
  { caller, name: given, done, signal = new AbortController().signal }: ReportWish,
): Promise<Report> {
  const { run_id, user_id, username, language, by, tables } = run
  const name = reportName(run, given)
  const sheets = tables.map((table) => ({ ...table, notices: cutNotices(table, language) }))
  const book = sheets.length === 0 ? null : `${name}.xlsx`
  const of = { title: name, by, at: new Date(), language }
  const text = { name: `${name}.md`, kind: 'generated' as const, bytes: once(reportText(run, name, book)) }
  const together = [
    text,
    ...(book === null ? [] : [{ name: book, kind: 'generated' as const, bytes: workbook(sheets, of, signal) }]),
  ]
  let report: Report | null = null
  await files.putTogether({
    user_id,
    files: together,
    signal,
    hold: async (trx) => {
      await db.dialect.serialize(trx, `report:${run_id}`)
      if (await isMade(trx, run_id)) throw new MadeAlready()
      const left = await trx.selectFrom('run').select('run_id').where('run_id', '=', run_id).executeTakeFirst()
      if (left === undefined) throw new AppError('not_found', say`There is no such run.`)
    },
    done: async (trx, [file, table_file = null]) => {
      report = { file: file!, table_file }
      const row = {
        user_id,
        file_id: file!.file_id,
        table_file_id: table_file?.file_id ?? null,
        created_at: Date.now(),
      }
      await trx
        .insertInto('report')
        .values({ run_id, ...row })
        .onConflict((conflict) => conflict.column('run_id').doUpdateSet(row))
        .execute()
      const actor = caller ?? { user_id, username }
      const entry = {
        action: 'report.saved',
        target: file!.file_id,
        outcome: 'ok',
        details: { run_id, name: file!.name },
      } as const
      await audit.record(trx, { actor, ...entry })
      await done?.(trx, report)
    },
  })
  return report!
}

/** The report of a run, unless its file was deleted. */
async function madeBefore({ files }: ReportContext, reader: Reader, run: RunToReport): Promise<Report | null> {
  const row = await isMade(reader, run.run_id)
  if (row === null) return null
  const ids = [row.file_id, ...(row.table_file_id === null ? [] : [row.table_file_id])]
  const [file, table_file = null] = await files.entries(run.user_id, ids)
  return { file: file!, table_file }
}

async function isMade(reader: Pick<Reader, 'selectFrom'>, run_id: string) {
  const row = await reader
    .selectFrom('report')
    .innerJoin('file', 'file.file_id', 'report.file_id')
    .leftJoin('file as book', (join) =>
      join.onRef('book.file_id', '=', 'report.table_file_id').on('book.deleted_at', 'is', null),
    )
    .select(['report.file_id', 'book.file_id as table_file_id'])
    .where('report.run_id', '=', run_id)
    .where('file.deleted_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text))
}
