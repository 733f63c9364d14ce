import { sqlText } from '../shape/sql-text.ts'
import type { Cast } from '../shape/table-shape.ts'

/** The value of a text column as SQL of its type. Text that doesn't fit becomes NULL; prepared columns contain none. */
export function typedSql(text: string, cast: Cast): string {
  switch (cast.kind) {
    case 'text':
      return text
    case 'integer':
      return `TRY_CAST(${text} AS ${cast.wide ? 'HUGEINT' : 'BIGINT'})`
    case 'number': {
      const plain = cast.comma ? `replace(${text}, ',', '.')` : text
      return `TRY_CAST(${plain} AS ${cast.scale === null ? 'DOUBLE' : `DECIMAL(18,${cast.scale})`})`
    }
    case 'boolean':
      return `TRY_CAST(${text} AS BOOLEAN)`
    case 'date':
      return cast.format === null
        ? `TRY_CAST(${text} AS DATE)`
        : `CAST(TRY_STRPTIME(${text}, ${sqlText(cast.format)}) AS DATE)`
    case 'datetime':
      if (cast.zoned) return `(TRY_CAST(${text} AS TIMESTAMPTZ) AT TIME ZONE 'UTC')`
      return cast.format === null ? `TRY_CAST(${text} AS TIMESTAMP)` : `TRY_STRPTIME(${text}, ${sqlText(cast.format)})`
  }
}

/** A condition that holds when the text is a value of this kind, written so that showing it as one loses nothing. */
export function fitsSql(text: string, cast: Cast): string {
  const value = typedSql(text, cast)
  switch (cast.kind) {
    case 'text':
      return 'true'
    case 'integer':
      // Round trip: a leading zero, a plus sign or a blank wouldn't survive.
      return `CAST(${value} AS VARCHAR) = ${text}`
    case 'number':
      return `regexp_full_match(${text}, ${sqlText(numberPattern(cast.comma, cast.scale === null))})`
    case 'boolean':
      return `lower(${text}) IN ('true', 'false')`
    case 'date':
      return `(length(${text}) = 10 AND ${value} IS NOT NULL)`
    case 'datetime':
      return `(length(${text}) >= 16 AND ${value} IS NOT NULL)`
  }
}

/** Plain decimal numbers; with `floating` also a bare point and exponents. No leading zeros. */
export function numberPattern(comma: boolean, floating: boolean): string {
  const point = comma ? ',' : '\\.'
  return floating
    ? `-?((0|[1-9][0-9]*)(${point}[0-9]*)?|${point}[0-9]+)([eE][+-]?[0-9]{1,3})?`
    : `-?(0|[1-9][0-9]{0,17})(${point}[0-9]{1,17})?`
}
