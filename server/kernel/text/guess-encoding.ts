import type { TextEncodingName } from '../../../contract/text-encodings.ts'

/** Bytes examined: more of them reveal nothing more. */
const EVIDENCE = 32 * 1024
/** Encodings in which a byte beyond ASCII mostly stands alone among ASCII letters. */
const WESTERN: readonly TextEncodingName[] = [
  'windows-1250',
  'windows-1252',
  'windows-1254',
  'windows-1257',
  'iso-8859-2',
]
/** The detector's names → labels known to TextDecoder. Only these are considered. */
const KNOWN: Readonly<Record<string, TextEncodingName>> = {
  'windows-1250': 'windows-1250',
  'windows-1251': 'windows-1251',
  'windows-1252': 'windows-1252',
  'windows-1253': 'windows-1253',
  'windows-1254': 'windows-1254',
  'windows-1255': 'windows-1255',
  'windows-1256': 'windows-1256',
  'windows-1257': 'windows-1257',
  'iso-8859-2': 'iso-8859-2',
  'koi8-r': 'koi8-r',
  'koi8-u': 'koi8-u',
  ibm866: 'ibm866',
  cp866: 'ibm866',
  shift_jis: 'shift_jis',
  cp932: 'shift_jis',
  'euc-jp': 'euc-jp',
  gb18030: 'gb18030',
  big5: 'big5',
  'euc-kr': 'euc-kr',
  cp949: 'euc-kr',
  'windows-874': 'windows-874',
}

/**
 * All letters beyond ASCII of the languages windows-1252 was made for, and those that must be among them: ñ and ń, ã
 * and ă, ø and ř share a byte, and in a few words the detector mistakes one for the other.
 */
const PLAINLY_WESTERN = [
  /^(?=.*ñ)[áéíóúüñ]+$/,
  /^(?=.*ç)(?=.*[ãõ])[áàâãçéêíóôõúü]+$/,
  /^(?=.*[æå])(?=.*[øåäö])[æøåéöä]+$/,
  /^(?=.*é)(?=.*[àèêïñ])[áàâæçéèêëíîïñóôœúùûüÿäöß]+$/,
]

/**
 * The lines of a text that contain bytes beyond ASCII, as many as are needed to tell its encoding: in a table, nearly
 * all lines may be digits.
 */
export function encodingEvidence(bytes: Uint8Array, limit = EVIDENCE): Buffer {
  const lines: Uint8Array[] = []
  let size = 0
  for (let at = 0; at < bytes.length && size < limit;) {
    if (bytes[at]! < 0x80) {
      at++
      continue
    }
    const from = Math.max(bytes.lastIndexOf(0x0a, at) + 1, at - limit)
    const feed = bytes.indexOf(0x0a, at)
    const end = Math.min(feed < 0 ? bytes.length : feed + 1, at + limit)
    lines.push(bytes.subarray(from, end))
    size += end - from
    at = end
  }
  return Buffer.concat(lines)
}

/**
 * The encoding of undeclared text from before UTF-8, guessed from how its bytes occur together; the more bytes, the
 * better. Null if it can be none of them. `bytes` contain at least one beyond ASCII and may end inside a character.
 */
export async function guessEncoding(bytes: Uint8Array): Promise<TextEncodingName | null> {
  const evidence = bytes.length <= EVIDENCE ? Buffer.from(bytes) : encodingEvidence(bytes)
  const { count, joined } = beyondAscii(evidence)
  // A single such byte says nothing about the language.
  if (count <= 1) return decodesAs(evidence, 'windows-1252') === null ? null : 'windows-1252'
  // Kana are next to impossible by chance, and the detector misses them in a few short words.
  for (const name of ['shift_jis', 'euc-jp'] as const) if (isKana(decodesAs(evidence, name))) return name
  // Its tables are large, so it is loaded only when needed.
  const { detectAll } = await import('jschardet')
  const found = detectAll(evidence, { minimumThreshold: 0, detectEncodings: Object.keys(KNOWN) })
  for (const { encoding } of found) {
    const name = KNOWN[encoding?.toLowerCase() ?? '']
    if (name === undefined || (joined === 0 && !WESTERN.includes(name))) continue
    const text = decodesAs(evidence, name)
    if (text === null || (name === 'ibm866' && !isCyrillic(text))) continue
    return WESTERN.includes(name) && isWestern(text, decodesAs(evidence, 'windows-1252')) ? 'windows-1252' : name
  }
  return null
}

/** Whether text is better read as windows-1252: the result is the same, or plainly a western language. */
function isWestern(text: string, western: string | null): boolean {
  if (western === null || western === text) return western !== null
  // Signs inside words are letters of another alphabet.
  if (/[¹³¼¾º]\p{L}|\p{L}[¹³¼¾¿]/u.test(western)) return false
  const letters = [...new Set(western.toLowerCase().match(/[^\P{L}a-z]/gu))].join('')
  return PLAINLY_WESTERN.some((language) => language.test(letters))
}

/** The number of bytes beyond ASCII, and how many of them are next to another one. */
function beyondAscii(bytes: Uint8Array): { count: number; joined: number } {
  let count = 0
  let joined = 0
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at]! < 0x80) continue
    count++
    if (bytes[at - 1]! >= 0x80 || bytes[at + 1]! >= 0x80) joined++
  }
  return { count, joined }
}

/** The decoded text if every byte has a meaning found in text, else null; the last character may be cut off. */
function decodesAs(bytes: Uint8Array, name: TextEncodingName): string | null {
  try {
    const text = new TextDecoder(name, { fatal: true }).decode(bytes, { stream: true })
    return /[\u0080-\u009f\uE000-\uF8FF]/.test(text) ? null : text
  } catch {
    return null
  }
}

/** In code page 866 half of the bytes are box-drawing characters, which other text would be read as. */
function isCyrillic(text: string): boolean {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0
  return count(/\p{Script=Cyrillic}/gu) > 3 * count(/[\u2500-\u25ff]/g)
}

function isKana(text: string | null): boolean {
  if (text === null) return false
  const beyond = text.match(/[^\0-\x7f]/gu)?.length ?? 0
  return (text.match(/[\u3041-\u3096\u30a1-\u30fc]/gu)?.length ?? 0) > beyond / 2
}
