const TABLES =
  "from sqlite_schema s where s.type in ('table', 'view') and s.name not like 'sqlite_%' and instr(lower(s.name), lower(?)) > 0"

/**
 * The four parts of a schema, in order: tables, columns, indexes, foreign keys. Each takes the filter as its parameter.
 */
export const SQLITE_SCHEMA: readonly string[] = [
  `select s.name, s.type, s.sql as definition ${TABLES} order by 1`,
  `select s."table", c.name as "column", c.type, c."notnull" = 0 as nullable, c.dflt_value as "default", c.pk as primary_key
   from (select s.name as "table" ${TABLES}) s, pragma_table_info(s."table") c order by 1, c.cid`,
  `select s."table", i.name as "index", i."unique", (select group_concat(x.name, ', ') from pragma_index_info(i.name) x) as columns
   from (select s.name as "table" ${TABLES}) s, pragma_index_list(s."table") i order by 1, 2`,
  `select s."table", f."from" as "column", f."table" as refers_to, f."to" as referred_column, f.on_delete, f.on_update
   from (select s.name as "table" ${TABLES}) s, pragma_foreign_key_list(s."table") f order by 1, f.id, f.seq`,
]
