/** Shortens text in the middle to about `max` characters, with a line saying so. */
export function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text
  const half = Math.floor(max / 2)
  return `${text.slice(0, half).toWellFormed()}\n[… ${text.length - half * 2} characters left out …]\n${text.slice(-half).toWellFormed()}`
}
