/** The letters of a column, from 0: A, …, Z, AA, …, XFD. */
export function columnLetters(index: number): string {
  let letters = ''
  for (let n = index; n >= 0; n = Math.floor(n / 26) - 1) letters = String.fromCharCode(65 + (n % 26)) + letters
  return letters
}
