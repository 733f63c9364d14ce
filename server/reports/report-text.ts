import { say } from '../kernel/sentence.ts'
import { cut } from '../kernel/text/plain-text.ts'
import type { RunToReport } from './read-run.ts'

const NAME = 120

/** What a report is called: what was asked, and the day in the owner's zone. */
export function reportName({ title, language, zone, ended_at }: RunToReport, name: string | undefined): string {
  const given = oneLine(name ?? title) || say`Report`.in(language)
  // 2026-01-31, in any language.
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(ended_at!)
  return `${cut(given, NAME).trim()} ${day}`
}

/** The report as Markdown. */
export function reportText(run: RunToReport, name: string, workbook: string | null): string {
  const { language, zone, by, engine, model, tables, answer, ended_at } = run
  const time = new Intl.DateTimeFormat(language, { timeZone: zone, dateStyle: 'long', timeStyle: 'short' })
  const facts = [time.format(ended_at!), by, ...new Set([engine, model].filter((one) => one !== null))]
  const list = tables.map((table) => `- ${literal(oneLine(table.title))}: ${rowsOf(table).in(language)}`)
  return [
    `# ${literal(name)}`,
    literal(facts.join(' · ')),
    ...(answer === '' ? [] : [answer]),
    ...(workbook === null
      ? []
      : [`## ${say`Tables`.in(language)}`, literal(say`They are in ${workbook}.`.in(language)), list.join('\n')]),
  ]
    .join('\n\n')
    .concat('\n')
}

/** Sentences for the sheet of a table that was cut. */
export function cutNotices({ rows, total_rows }: RunToReport['tables'][number], language: string): string[] {
  if (total_rows <= rows.length) return []
  return [say`The first ${rows.length} of ${total_rows} rows, as they were shown.`.in(language)]
}

function rowsOf({ rows, total_rows }: RunToReport['tables'][number]) {
  return total_rows > rows.length ? say`${rows.length} of ${total_rows} rows` : say`${rows.length} rows`
}

function oneLine(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(/[\\/]+/g, '-')
    .trim()
}

/** Text that Markdown shows as it is. */
function literal(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#|]/g, '\\$&')
}
