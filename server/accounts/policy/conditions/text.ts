import { ALIKE, DIFFERS, FITS, type Found, ODD, TOO_LONG } from './finding.ts'

/** Characters of a text that is judged. */
export const TEXT_JUDGED = 4096

/** Control, bidirectional, invisible and unpaired characters, from and to. */
const ODD_RANGES: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x600, 0x605],
  [0x61c, 0x61c],
  [0x6dd, 0x6dd],
  [0x70f, 0x70f],
  [0x890, 0x891],
  [0x8e2, 0x8e2],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x110bd, 0x110bd],
  [0x110cd, 0x110cd],
  [0x13430, 0x1343f],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
]

/** Whether a text holds characters that a person does not see, or sees elsewhere than they are. */
export function isOdd(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0)!
    // Printable ASCII, at once.
    if (code >= 0x20 && code < 0x7f) continue
    if (ODD_RANGES.some(([from, to]) => code >= from && code <= to)) return true
  }
  return false
}

/** The same for texts that differ in case, width or composition. */
export function alike(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  return text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC')
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false
  return true
}

/** Exactly this text; one that is merely alike is neither it nor surely another. */
export function findText(value: string, text: string): Found {
  if (value.length > TEXT_JUDGED) return TOO_LONG
  if (isOdd(value)) return ODD
  if (value === text) return FITS
  return alike(value) === alike(text) ? ALIKE : DIFFERS
}
