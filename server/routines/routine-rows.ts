import type { Selectable } from 'kysely'
import { NEXT_TIMES, type Routine, type RoutineFire, type RoutineWork } from '../../contract/routine-values.ts'
import type { Reader } from '../db/database.ts'
import type { RoutineFireTable, RoutineTable } from '../db/rows/routine-tables.ts'
import { AppError } from '../kernel/app-error.ts'
import { type PackedSentence, say, Sentence } from '../kernel/sentence.ts'
import { iso, isoOrNull } from '../kernel/time.ts'
import { timesOf } from './schedule.ts'

export type RoutineRow = Selectable<RoutineTable>

/** Sentences are stored as they are sent to another process, and read in the reader's language. */
export function packReason(reason: Sentence | null): string | null {
  return reason === null ? null : JSON.stringify(reason.pack())
}

function readReason(reason: string | null, language: string): string | null {
  return reason === null ? null : Sentence.unpack(JSON.parse(reason) as PackedSentence).in(language)
}

/** @throws {AppError} not_found when it does not exist or is somebody else's */
export async function findRoutine(reader: Reader, user_id: string, routine_id: string): Promise<RoutineRow> {
  const row = await reader
    .selectFrom('routine')
    .selectAll()
    .where('routine_id', '=', routine_id)
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  if (!row) throw noRoutine()
  return row
}

export function noRoutine(): AppError {
  return new AppError('not_found', say`There is no such routine.`)
}

export function workOf(row: RoutineRow): RoutineWork {
  if (row.kind === 'text') {
    const { engine_id, model } = row
    const engine = engine_id === null || model === null ? null : { engine_id, model }
    return { kind: 'text', text: row.text, engine }
  }
  const values = JSON.parse(row.procedure_values ?? '{}') as Record<string, unknown>
  return { kind: 'procedure', procedure_id: row.procedure_id!, version: row.procedure_version!, values }
}

export function scopeOf({ scope }: Pick<RoutineRow, 'scope'>): string[] {
  return JSON.parse(scope) as string[]
}

function fires(reader: Reader) {
  return reader
    .selectFrom('routine_fire')
    .leftJoin('run', 'run.run_id', 'routine_fire.run_id')
    .leftJoin('report', 'report.run_id', 'routine_fire.run_id')
    .leftJoin('file', (join) => join.onRef('file.file_id', '=', 'report.file_id').on('file.deleted_at', 'is', null))
    .select(['fire_id', 'routine_id', 'cause', 'due_at', 'outcome', 'reason', 'times', 'routine_fire.created_at as at'])
    .select(['run.run_id', 'run.conversation_id', 'run.status', 'run.ended_at', 'run.error_code'])
    .select(['file.file_id', 'file.name as file_name'])
}

type FireRow = Awaited<ReturnType<ReturnType<typeof fires>['execute']>>[number]

function toFire(row: FireRow, language: string): RoutineFire {
  const { run_id, conversation_id, status, ended_at, error_code, file_id, file_name } = row
  return {
    fire_id: row.fire_id,
    cause: row.cause,
    due_at: iso(Number(row.due_at)),
    at: iso(Number(row.at)),
    outcome: row.outcome,
    reason: readReason(row.reason, language),
    times: row.times,
    run:
      run_id === null || conversation_id === null || status === null
        ? null
        : { run_id, conversation_id, status, ended_at: isoOrNull(ended_at), error_code },
    report: file_id === null || file_name === null ? null : { file_id, name: file_name },
  }
}

/** The history of a routine, newest first. @throws {AppError} invalid_request for a cursor of something else */
export async function listFires(
  reader: Reader,
  routine_id: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  language: string,
): Promise<{ items: RoutineFire[]; next_cursor: string | null }> {
  const rows = await fires(reader)
    .where('routine_id', '=', routine_id)
    .$if(cursor !== undefined, (select) => select.where('fire_id', '<', cursor!))
    .orderBy('fire_id', 'desc')
    .limit(limit + 1)
    .execute()
  const kept = rows.slice(0, limit)
  return {
    items: kept.map((row) => toFire(row, language)),
    next_cursor: rows.length > limit ? kept.at(-1)!.fire_id : null,
  }
}

/** Routines as they are shown, each with its newest entry. */
export async function shown(
  reader: Reader,
  rows: readonly RoutineRow[],
  { titles, language }: { readonly titles: ReadonlyMap<string, string>; readonly language: string },
): Promise<Routine[]> {
  if (rows.length === 0) return []
  const newest = await fires(reader)
    .where(
      'fire_id',
      'in',
      reader
        .selectFrom('routine_fire')
        .select(({ fn }) => fn.max('fire_id').as('fire_id'))
        .where(
          'routine_id',
          'in',
          rows.map(({ routine_id }) => routine_id),
        )
        .groupBy('routine_id'),
    )
    .execute()
  const last = new Map(newest.map((row) => [row.routine_id, toFire(row, language)]))
  return rows.map((row) => ({
    routine_id: row.routine_id,
    name: row.name,
    work: workOf(row),
    title: titles.get(row.routine_id) ?? row.text.split('\n')[0]!.slice(0, 200),
    scope: scopeOf(row),
    schedule: scheduleOf(row),
    report: row.report === 1,
    overlap: row.overlap,
    catch_up_s: row.catch_up_s,
    run_limit_s: row.run_limit_s,
    token_budget: row.token_budget,
    call_budget: row.call_budget,
    card_life_s: row.card_life_s,
    paused_by: row.paused_by,
    paused_at: isoOrNull(row.paused_at),
    failures: row.failures,
    next: nextTimes(row, NEXT_TIMES).map(iso),
    last: last.get(row.routine_id) ?? null,
    revision: row.revision,
    created_at: iso(Number(row.created_at)),
    updated_at: iso(Number(row.updated_at)),
  }))
}

export function scheduleOf({ cron, zone }: Pick<RoutineTable, 'cron' | 'zone'>): Routine['schedule'] {
  return cron === null || zone === null ? null : { cron, zone }
}

/** Its next times, the first one as it is stored. */
export function nextTimes(row: RoutineRow, count: number): number[] {
  const schedule = scheduleOf(row)
  if (schedule === null || row.next_fire_at === null) return []
  const first = Number(row.next_fire_at)
  return [first, ...timesOf(schedule).next(count - 1, first)]
}

type Later = 'report_until' | 'report_next_at' | 'repeated_at'
export type NewFire = Omit<RoutineFireTable, 'reason' | Later> & {
  readonly reason: Sentence | null
}

/** A row of the history. */
export function fireRow({ reason, ...fire }: NewFire): RoutineFireTable {
  return { ...fire, reason: packReason(reason), report_until: null, report_next_at: null, repeated_at: null }
}
