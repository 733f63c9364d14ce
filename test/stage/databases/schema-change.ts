import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../server/db/schema.ts'

/** Everything about a schema that a program with older statements can run into, as text by the table it belongs to. */
export interface Schema {
  /** By table, then by column: type, whether null is refused, default. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, { type: string; needed: boolean }>>
  /** What refuses rows: `table: constraint`. */
  readonly rules: ReadonlySet<string>
}

const POSTGRES_COLUMNS = `select c.relname as "table", a.attname as "column", format_type(a.atttypid, a.atttypmod) as type,
    a.attnotnull and not a.atthasdef and a.attidentity = '' as needed
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace
    and a.attnum > 0 and not a.attisdropped`
const POSTGRES_RULES = `select c.relname as "table", pg_get_constraintdef(r.oid) as rule from pg_constraint r
  join pg_class c on c.oid = r.conrelid
  where c.relnamespace = current_schema()::regnamespace and not c.relispartition and r.contype <> 'n'
  union all select c.relname, 'unique ' || regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING ', '') from pg_index i
  join pg_class c on c.oid = i.indrelid
  where i.indisunique and c.relnamespace = current_schema()::regnamespace and not c.relispartition
    and not exists (select from pg_constraint where conindid = i.indexrelid)`
const SQLITE_COLUMNS = `select m.name as "table", c.name as "column", lower(c.type) as type,
    c."notnull" = 1 and c.dflt_value is null and c.pk = 0 as needed
  from sqlite_schema m join pragma_table_info(m.name) c where m.type = 'table' and m.name not like 'sqlite_%'`
const SQLITE_RULES = `select m.name as "table", 'unique ' || coalesce(i.name || ' ', '') ||
    (select group_concat(name) from pragma_index_info(i.name)) as rule
  from sqlite_schema m join pragma_index_list(m.name) i where m.type = 'table' and i."unique" = 1
  union all select m.name, 'references ' || f."table" || ' ' || f."from" from sqlite_schema m
  join pragma_foreign_key_list(m.name) f where m.type = 'table'`

export async function schemaOf(db: Kysely<Tables>, name: 'sqlite' | 'postgres'): Promise<Schema> {
  const [ofColumns, ofRules] = name === 'postgres' ? [POSTGRES_COLUMNS, POSTGRES_RULES] : [SQLITE_COLUMNS, SQLITE_RULES]
  const found = await sql
    .raw<{ table: string; column: string; type: string; needed: boolean | number }>(ofColumns)
    .execute(db)
  const columns = new Map<string, Map<string, { type: string; needed: boolean }>>()
  for (const { table, column, type, needed } of found.rows) {
    if (!columns.has(table)) columns.set(table, new Map())
    columns.get(table)!.set(column, { type, needed: Boolean(needed) })
  }
  const rules = await sql.raw<{ table: string; rule: string }>(ofRules).execute(db)
  return { columns, rules: new Set(rules.rows.map(({ table, rule }) => `${table}: ${rule}`)) }
}

/**
 * What statements written for `before` may run into under `after`: tables and columns that are gone or have another
 * type, columns that must be given, rules that are new or gone (an upsert needs its unique index) on tables that existed.
 */
export function takenAway(before: Schema, after: Schema): string[] {
  const gone: string[] = []
  for (const [table, columns] of before.columns) {
    const now = after.columns.get(table)
    if (now === undefined) {
      gone.push(table)
      continue
    }
    for (const [column, { type, needed }] of columns) {
      const is = now.get(column)
      if (is === undefined) gone.push(`${table}.${column}`)
      else if (is.type !== type) gone.push(`${table}.${column} is ${is.type}`)
      else if (is.needed && !needed) gone.push(`${table}.${column} must be given`)
    }
    for (const [column, { needed }] of now)
      if (needed && !columns.has(column)) gone.push(`${table}.${column} must be given`)
  }
  const existed = (rule: string) => before.columns.has(rule.slice(0, rule.indexOf(': ')))
  const there = (rule: string) => after.columns.has(rule.slice(0, rule.indexOf(': ')))
  for (const rule of after.rules) if (existed(rule) && !before.rules.has(rule)) gone.push(rule)
  for (const rule of before.rules) if (there(rule) && !after.rules.has(rule)) gone.push(`${rule} is gone`)
  return gone
}
