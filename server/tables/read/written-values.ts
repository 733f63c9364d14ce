import { say, type Sentence } from '../../kernel/sentence.ts'
import { sqlText } from '../shape/sql-text.ts'
import type { Cast } from '../shape/table-shape.ts'

/**
 * A notation in which a whole column may write values that aren't plain numbers or ISO dates. Patterns mean the same in
 * JavaScript and in the engine.
 */
export interface Written {
  readonly cast: Cast
  /** Numbers without a fraction are integers; never with percentages. */
  readonly whole: boolean
  /** Every cell matches this. */
  readonly pattern: string
  /**
   * At least one cell matches this without matching `unless`, which rules out the other readings of the column. Null:
   * there is no other reading.
   */
  readonly decides: string | null
  readonly unless: string | null
  /** Found somewhere in the cells examined first: without it they are plain numbers, or digits meant as text. */
  readonly needs: RegExp | null
  /** SQL of the value as plain text that fits `cast`; NULL if there is none. */
  readonly value: (text: string) => string
  /** For a notice: what the cells were read as. */
  readonly words: Sentence
}

interface Style {
  /** A character class, or empty. */
  readonly group: string
  readonly point: string
  /** Without a currency or percent sign: at least one cell matches this; null: no such condition. */
  readonly sure: string | null
}

const BLANK = '[ \u00a0\u202f]'
const MINUS = '[-\u2212]'
const CURRENCY = [...'$€£¥₹₽₩₺₴₫฿', 'USD', 'EUR', 'GBP', 'CHF', 'JPY', 'CNY']
/** With one of these before a number, a comma and three digits are thousands. */
const ENGLISH: readonly string[] = ['$', '£', 'USD', 'GBP']
const ANY_MARK = `(${[...CURRENCY, '%'].map(escaped).join('|')})`
const BEFORE = new RegExp(`^${MINUS}?${ANY_MARK}${BLANK}?${MINUS}?\\d`)
const AFTER = new RegExp(`\\d${BLANK}?${ANY_MARK}$`)

const COMMA_GROUPS: Style = { group: ',', point: '.', sure: null }
// IP addresses have groups of three digits between points, telephone numbers between blanks.
const POINT_GROUPS: Style = { group: '\\.', point: ',', sure: '.*\\.[0-9]{3},[0-9]+' }
const STYLES: readonly Style[] = [
  COMMA_GROUPS,
  POINT_GROUPS,
  { group: "['\u2019]", point: '.', sure: null },
  { group: BLANK, point: ',', sure: `.*${BLANK}[0-9]{3},[0-9]{1,2}` },
  { group: BLANK, point: '.', sure: `.*${BLANK}[0-9]{3}\\.[0-9]{1,2}` },
]

/** The notations that all of these cells allow; the rows of the whole table decide between them. */
export function writtenValues(cells: readonly string[]): Written[] {
  const [first] = cells
  if (first === undefined) return []
  const ways = [...numbers(first), ...TIMES]
  return ways.filter(({ pattern, needs }) => {
    const whole = new RegExp(`^(?:${pattern})$`)
    return cells.every((cell) => whole.test(cell)) && (needs === null || cells.some((cell) => needs.test(cell)))
  })
}

function numbers(first: string): Written[] {
  const before = BEFORE.exec(first)?.[1]
  const mark = before ?? AFTER.exec(first)?.[1] ?? ''
  const whole = (body: string): string => {
    const sign = escaped(mark)
    if (before !== undefined) return `(?:${MINUS}?${sign}${BLANK}?|${sign}${BLANK}?${MINUS})(?:${body})`
    return mark === '' ? `${MINUS}?(?:${body})` : `${MINUS}?(?:${body})${BLANK}?${sign}`
  }
  const way = (style: Style, decides: string | null, unless: string | null): Written => ({
    cast: { kind: 'number', scale: 0, comma: false },
    whole: mark !== '%',
    pattern: whole(bodyOf(style)),
    decides,
    unless,
    needs: mark === '' ? new RegExp(`[0-9]${style.group}[0-9]{3}`) : null,
    value: (text) => numberSql(text, style.point, mark === '%'),
    words: wordsOf(mark, style),
  })
  // On its own, a number without any separator is a plain one, and has been recognised before.
  const plain = { ...way(COMMA_GROUPS, null, null), pattern: whole(DIGITS), words: wordsOf(mark, null) }
  const rest = STYLES.map((style) => {
    if (mark === '' && style.sure !== null) return way(style, style.sure, null)
    if (style === COMMA_GROUPS) return way(style, '.*', whole(bodyOf(POINT_GROUPS)))
    return style === POINT_GROUPS
      ? way(style, '.*', whole(bodyOf(COMMA_GROUPS)))
      : way(style, `.*${style.group}[0-9]{3}.*`, null)
  })
  if (mark === '') return rest
  const english = before !== undefined && ENGLISH.includes(before)
  return [plain, ...rest, ...(english ? [way(COMMA_GROUPS, '.*,.*', null)] : [])]
}

const DIGITS = '0|[1-9][0-9]{0,14}'

function bodyOf({ group, point }: Style): string {
  return `(?:[1-9][0-9]{0,2}(?:${group}[0-9]{3}){1,4}|${DIGITS})(?:${escaped(point)}[0-9]{1,15})?`
}

function numberSql(text: string, point: string, percent: boolean): string {
  const signed = `replace(${text}, '\u2212', '-')`
  const plain = `replace(regexp_replace(${signed}, ${sqlText(`[^-0-9${point}]`)}, '', 'g'), ${sqlText(point)}, '.')`
  if (!percent) return plain
  // Exact, unlike a double; then without trailing zeros.
  const hundredth = `CAST(TRY_CAST(${plain} AS DECIMAL(36,17)) * CAST(0.01 AS DECIMAL(2,2)) AS VARCHAR)`
  return `regexp_replace(${hundredth}, '\\.?0+$', '')`
}

function wordsOf(mark: string, style: Style | null): Sentence {
  if (mark === '%') return say`percentages (12% is 0.12)`
  if (style === null) return mark === '' ? say`numbers` : say`amounts in ${mark}`
  const example = `1${groupText(style)}234${style.point}5`
  if (style.point === '.')
    return mark === ''
      ? say`numbers with a decimal point (${example} is 1234.5)`
      : say`amounts in ${mark} with a decimal point (${example} is 1234.5)`
  return mark === ''
    ? say`numbers with a decimal comma (${example} is 1234.5)`
    : say`amounts in ${mark} with a decimal comma (${example} is 1234.5)`
}

function groupText({ group }: Style): string {
  return group === BLANK ? ' ' : group.startsWith('[') ? "'" : group.slice(-1)
}

const MONTH = '(?:0?[1-9]|1[0-2])'
const DAY = '(?:0?[1-9]|[12][0-9]|3[01])'
const LATE_DAY = '(?:1[3-9]|[23][0-9])'
const YEAR = '[0-9]{4}'

function date(pattern: string, format: string, decides: string | null, words: Sentence): Written {
  const value = (text: string): string => `CAST(CAST(TRY_STRPTIME(${text}, ${sqlText(format)}) AS DATE) AS VARCHAR)`
  return {
    cast: { kind: 'date', format: null },
    whole: false,
    pattern,
    decides,
    unless: null,
    needs: null,
    value,
    words,
  }
}

const SECONDS = (text: string): string =>
  `CAST(CAST(split_part(${text}, ':', 1) AS INTEGER) * 3600 + CAST(split_part(${text}, ':', 2) AS INTEGER) * 60 ` +
  `+ coalesce(TRY_CAST(split_part(${text}, ':', 3) AS INTEGER), 0) AS VARCHAR)`

const TIMES: readonly Written[] = [
  date(`${MONTH}/${DAY}/${YEAR}`, '%m/%d/%Y', `[0-9]+/${LATE_DAY}/.*`, say`dates, month first`),
  date(`${DAY}/${MONTH}/${YEAR}`, '%d/%m/%Y', `${LATE_DAY}/.*`, say`dates, day first`),
  date(`${DAY}\\.${MONTH}\\.${YEAR}`, '%d.%m.%Y', null, say`dates, day first`),
  {
    cast: { kind: 'integer', wide: false },
    whole: true,
    pattern: '(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?',
    decides: null,
    unless: null,
    needs: null,
    value: (text) => `CASE WHEN regexp_full_match(${text}, '[0-9]{1,2}(:[0-9]{2}){1,2}') THEN ${SECONDS(text)} END`,
    words: say`times of day (9:05 is 32700 seconds)`,
  },
]

function escaped(text: string): string {
  return text.replaceAll(/[$.%]/g, (each) => (each === '%' ? each : `\\${each}`))
}
