const ROMAN = Object.entries({
  M: 1000,
  CM: 900,
  D: 500,
  CD: 400,
  C: 100,
  XC: 90,
  L: 50,
  XL: 40,
  X: 10,
  IX: 9,
  V: 5,
  IV: 4,
  I: 1,
})

/** A list number; `format` by Word's names: lowerLetter, upperRoman. Any other is digits. */
export function listNumeral(count: number, format: string): string {
  if (count >= 1 && format.endsWith('Letter')) {
    const letter = String.fromCharCode(97 + ((count - 1) % 26)).repeat(Math.min(Math.ceil(count / 26), 10))
    return format === 'upperLetter' ? letter.toUpperCase() : letter
  }
  if (count >= 1 && count < 4000 && format.endsWith('Roman'))
    return format === 'upperRoman' ? roman(count) : roman(count).toLowerCase()
  return String(count)
}

function roman(count: number): string {
  let left = count
  let text = ''
  for (const [letters, value] of ROMAN) for (; left >= value; left -= value) text += letters
  return text
}
