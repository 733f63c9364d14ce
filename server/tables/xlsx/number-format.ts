/** The kind of value that a number format displays. */
export type NumberFormat = 'number' | 'date' | 'datetime' | 'time' | 'duration'

const BUILT_IN: Record<number, NumberFormat> = { 22: 'datetime', 45: 'time', 46: 'duration', 47: 'time' }
for (const id of [14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58]) BUILT_IN[id] = 'date'
for (const id of [18, 19, 20, 21, 32, 33, 34, 35]) BUILT_IN[id] = 'time'

/** For a built-in format number. Those of East Asian languages are dates or times; the rest are numbers. */
export function builtInFormat(id: number): NumberFormat {
  return BUILT_IN[id] ?? 'number'
}

/**
 * For a format code such as `yyyy-mm-dd` or `[h]:mm:ss`: only its first section counts, the one for positive numbers.
 */
export function formatOf(code: string): NumberFormat {
  const section = bare(code)
  if (/\[(h+|m+|s+)\]/i.test(section)) return 'duration'
  const letters = section
    .replace(/\[[^\]]*\]/g, '')
    .replace(/general/gi, '')
    .replace(/e[+-]/gi, '')
  const clock = /[hs]|am\/pm|a\/p/i.test(letters)
  const rest = letters.replace(/am\/pm|a\/p/gi, '')
  const day = /[ydgeb]/i.test(rest) || (/m/i.test(rest) && (!clock || /mmm/i.test(rest)))
  if (!day) return clock ? 'time' : 'number'
  return clock ? 'datetime' : 'date'
}

/** The first section without quoted and escaped characters. */
function bare(code: string): string {
  let out = ''
  for (let i = 0; i < code.length && out.length < 300; i++) {
    const char = code[i]!
    if (char === ';') break
    if (char === '"') {
      const end = code.indexOf('"', i + 1)
      if (end < 0) break
      i = end
    } else if (char === '\\' || char === '_' || char === '*') i++
    else out += char
  }
  return out
}
