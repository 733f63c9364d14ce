/**
 * The table with which `npm run bench` ends, and that docs/performance.md keeps: figure, aim, now, last recorded.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const BEGIN = '<!-- figures: written by npm run bench -- --record -->'
const END = '<!-- /figures -->'
const HEAD = ['| Figure | Aim | Measured | Unit | Commit | Day |', '|---|---|---|---|---|---|']
/** A figure that is worse by more than this share is marked. */
const WORSE = 0.1

/** One JSON object a line, as test/bench/figure.ts writes them; of a figure that came twice, the last. */
export function readFigures(file) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
  return [...new Map(lines.map((line) => JSON.parse(line)).map((each) => [each.figure, each])).values()]
}

/** The rows of the document by figure; none where it has no table yet. */
function readRecorded(document) {
  const text = existsSync(document) ? readFileSync(document, 'utf8') : ''
  const section = text.includes(BEGIN) ? text.slice(text.indexOf(BEGIN), text.indexOf(END)) : ''
  const rows = section.split('\n').filter((line) => line.startsWith('| ') && line !== HEAD[0])
  const cells = rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  return new Map(
    cells.map(([figure, aim, value, unit, commit, day]) => [figure, { figure, aim, value, unit, commit, day }]),
  )
}

/** Three significant digits, more before the point. */
const rounded = (value) => String(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)))

function misses({ value, aim = '' }) {
  const [, sign, limit] = /^(<|≤|>|≥) ([\d.]+)$/.exec(aim) ?? []
  if (sign === undefined) return false
  const most = Number(limit)
  return { '<': value >= most, '≤': value > most, '>': value <= most, '≥': value < most }[sign]
}

/** `+23 %` against the last figure, with a word when that is a regression. */
function change({ value, more }, last) {
  const before = Number(last?.value)
  if (!(before > 0)) return ''
  const share = value / before - 1
  const text = `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(0)} %`
  return (more ? -share : share) > WORSE ? `${text} worse` : text
}

/** The figures of this run beside the last ones, as lines. */
export function tableLines(figures, document) {
  const recorded = readRecorded(document)
  const rows = figures.map((each) => {
    const last = recorded.get(each.figure)
    const now = `${rounded(each.value)} ${each.unit}${misses(each) ? ' (missed)' : ''}`
    return [each.figure, each.aim ?? '', now, last ? `${last.value} (${last.commit})` : '', change(each, last)]
  })
  const all = [['figure', 'aim', 'now', 'last recorded', 'change'], ...rows]
  const widths = all[0].map((_, i) => Math.max(...all.map((row) => row[i].length)))
  return all.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]))
      .join('  ')
      .trimEnd(),
  )
}

/** Writes the figures of this run into the document's table; those of other benches stay with their commit. */
export function record(figures, document, { commit, day }) {
  const rows = readRecorded(document)
  for (const { figure, aim = '', value, unit } of figures)
    rows.set(figure, { figure, aim, value: rounded(value), unit, commit, day })
  const lines = [...rows.values()].map(
    ({ figure, aim, value, unit, commit: at, day: on }) =>
      `| ${figure} | ${aim} | ${value} | ${unit} | ${at} | ${on} |`,
  )
  const table = [BEGIN, ...HEAD, ...lines, END].join('\n')
  const text = readFileSync(document, 'utf8')
  writeFileSync(
    document,
    text.includes(BEGIN)
      ? text.slice(0, text.indexOf(BEGIN)) + table + text.slice(text.indexOf(END) + END.length)
      : `${text.trimEnd()}\n\n## Figures\n\n${table}\n`,
  )
}
