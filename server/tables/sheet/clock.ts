/** Milliseconds as `08:30:00`, with `.500` only if there is a fraction. Hours continue beyond 24. */
export function clock(ms: number): string {
  const two = (n: number): string => (n < 10 ? `0${n}` : String(n))
  const seconds = Math.floor(ms / 1000)
  const rest = ms % 1000
  const text = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  return rest === 0 ? text : `${text}.${String(rest).padStart(3, '0')}`
}
