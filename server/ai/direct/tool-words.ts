import { say, type Sentence } from '../../kernel/sentence.ts'

/** What people call the things that built-in tools are about, in every language: direct mode finds the tools by it. */
const WORDS: Readonly<Record<string, Sentence>> = {
  'files.list': say`files, documents, uploads, folder, stored`,
  'files.read': say`file, document, open, read, content`,
  'files.search': say`find, search, file, text`,
  'files.write': say`file, save, write, create, note`,
  'http.fetch': say`web page, website, address, link, download`,
  'http.request': say`request, interface, send, web service`,
  'sql.databases': say`databases, connections`,
  'sql.execute': say`database, change, insert, update, delete`,
  'sql.query': say`database, query, select, rows, records`,
  'sql.schema': say`database, tables, columns, structure`,
  'system.cpu': say`processor, core, load, busy, slow, usage`,
  'system.disks': say`disk, drive, storage, space, full, free, partition`,
  'system.host': say`machine, server, host, computer, version, uptime, operating system`,
  'system.logs': say`log, journal, error, message, event`,
  'system.memory': say`memory, swap, full, free, usage`,
  'system.network': say`network, interface, port, address, connection, traffic`,
  'system.processes': say`process, program, running, task, slow, usage`,
  'system.run_command': say`command, shell, script, program, start, restart`,
  'system.signal_process': say`stop, end, kill, process, program`,
  'system.services': say`service, running, failed, started, restart`,
  'tables.aggregate': say`sum, average, count, group, table`,
  'tables.describe': say`table, columns, overview, statistics`,
  'tables.filter': say`table, filter, rows, find`,
  'tables.join': say`table, combine, merge, compare`,
  'tables.query': say`table, query, spreadsheet`,
}

/** The words of a tool in English and in the language; empty for a tool of another module. */
export function wordsFor(tool: string, language: string): string {
  const words = WORDS[tool]
  return words === undefined ? '' : `${words.in('en')} ${words.in(language)}`
}
