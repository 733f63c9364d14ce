import type { Procedure, ProcedureVersion } from '../../contract/procedure-values.ts'
import type { Reader } from '../db/database.ts'
import type { ProcedureVersionTable } from '../db/rows/procedure-tables.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { iso, isoOrNull } from '../kernel/time.ts'
import { contentOf } from './content.ts'
import { mayOf, type Reading } from './reading.ts'
import type { StoredProcedure } from './stored-procedure.ts'

/** All of them, by name; there are at most a few hundred. */
export async function allProcedures(reader: Reader): Promise<StoredProcedure[]> {
  const rows = await reader.selectFrom('procedure').selectAll().orderBy('name_folded').execute()
  const versions = await reader.selectFrom('procedure_version').selectAll().orderBy('version', 'desc').execute()
  const of = Map.groupBy(versions, ({ procedure_id }) => procedure_id)
  return rows.map((row) => ({ row, versions: of.get(row.procedure_id) ?? [] }))
}

/** @throws {AppError} not_found */
export async function theProcedure(reader: Reader, procedure_id: string): Promise<StoredProcedure> {
  const row = await reader
    .selectFrom('procedure')
    .selectAll()
    .where('procedure_id', '=', procedure_id)
    .executeTakeFirst()
  if (row === undefined) throw noProcedure()
  const versions = await reader
    .selectFrom('procedure_version')
    .selectAll()
    .where('procedure_id', '=', procedure_id)
    .orderBy('version', 'desc')
    .execute()
  return { row, versions }
}

export function noProcedure(): AppError {
  return new AppError('not_found', say`There is no such procedure.`)
}

/** Names of the people who wrote and reviewed, by id. */
export async function peopleOf(reader: Reader, all: readonly StoredProcedure[]): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(
    all.flatMap(({ row, versions }) => [row.owner_id, ...versions.flatMap((one) => [one.author_id, one.reviewer_id])]),
  )
  ids.delete(null)
  if (ids.size === 0) return new Map()
  const users = await reader
    .selectFrom('user')
    .select(['user_id', 'display_name'])
    .where('user_id', 'in', [...ids] as string[])
    .execute()
  return new Map(users.map(({ user_id, display_name }) => [user_id, display_name]))
}

function person(people: ReadonlyMap<string, string>, user_id: string | null) {
  const display_name = user_id === null ? undefined : people.get(user_id)
  return user_id === null || display_name === undefined ? null : { user_id, display_name }
}

export function toProcedure(
  { row, versions }: StoredProcedure,
  reading: Reading,
  people: ReadonlyMap<string, string>,
): Procedure {
  const { procedure_id, current_version } = row
  const newest = versions[0]!
  const shown = versions.find(({ version }) => version === current_version) ?? newest
  return {
    procedure_id,
    name: row.name,
    description: shown.description,
    owner: person(people, row.owner_id),
    current_version,
    newest: { version: newest.version, state: newest.state },
    may: mayOf({ row, versions }, reading),
    updated_at: iso(row.updated_at),
  }
}

export function toVersion(row: ProcedureVersionTable, people: ReadonlyMap<string, string>): ProcedureVersion {
  const { params, steps } = contentOf(row)
  return {
    version: row.version,
    state: row.state,
    name: row.name,
    description: row.description,
    params: [...params],
    steps: [...steps],
    content_hash: row.content_hash,
    author: person(people, row.author_id),
    reviewer: person(people, row.reviewer_id),
    review_note: row.review_note,
    updated_at: iso(row.updated_at),
    reviewed_at: isoOrNull(row.reviewed_at),
  }
}
