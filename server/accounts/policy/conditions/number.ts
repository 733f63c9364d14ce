import { DIFFERS, FITS, type Found, ODD, WRONG_TYPE } from './finding.ts'

/** Whether a number is exactly what its JSON said: beyond 2^53 another one may have been meant. */
export function isExact(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER
}

export function findNumber(value: unknown, number: number): Found {
  if (typeof value !== 'number') return WRONG_TYPE
  if (!isExact(value)) return ODD
  return value === number ? FITS : DIFFERS
}

/** Both ends belong to it. */
export function findRange(value: unknown, min: number | undefined, max: number | undefined): Found {
  if (typeof value !== 'number') return WRONG_TYPE
  if (!isExact(value)) return ODD
  return value >= (min ?? -Infinity) && value <= (max ?? Infinity) ? FITS : DIFFERS
}

/** A whole number as a word of a command, in the one spelling that JSON would give it. */
export function findNumeral(word: string, min: number, max: number): Found {
  const value = Number(word)
  return String(value) === word && Number.isSafeInteger(value) ? findRange(value, min, max) : ODD
}
