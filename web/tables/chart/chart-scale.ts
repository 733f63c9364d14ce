export interface Scale {
  readonly from: number
  readonly to: number
  /** Round, ascending tick values. */
  readonly ticks: readonly number[]
}

/**
 * A scale over these values that starts and ends at round numbers, with about `wanted` ticks. `zero`: includes zero.
 */
export function niceScale(values: readonly number[], zero: boolean, wanted = 5): Scale {
  let low = zero ? 0 : Infinity
  let high = zero ? 0 : -Infinity
  for (const value of values) {
    if (value < low) low = value
    if (value > high) high = value
  }
  if (!Number.isFinite(low) || !Number.isFinite(high)) return { from: 0, to: 1, ticks: [0, 1] }
  // The values are too close together for ticks: use an axis around them.
  const size = Math.max(Math.abs(low), Math.abs(high))
  if (high - low < Math.max(size * 1e-9, 1e-300)) {
    if (!zero && size >= 1e-300) low -= size / 2
    high += size >= 1e-300 ? size / 2 : 1
  }
  const rough = (high - low) / Math.max(1, wanted)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? 10 * power
  const first = Math.floor(low / step)
  const last = Math.ceil(high / step)
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)))
  return { from: ticks[0]!, to: ticks.at(-1)!, ticks }
}

/** A scale over times (epoch milliseconds) from first to last; its ticks depend on the room for their texts. */
export function timeScale(values: readonly number[]): Scale {
  let from = Infinity
  let to = -Infinity
  for (const value of values) {
    if (value < from) from = value
    if (value > to) to = value
  }
  if (!Number.isFinite(from)) return { from: 0, to: 1, ticks: [] }
  return from === to ? { from: from - 1, to: to + 1, ticks: [from] } : { from, to, ticks: [] }
}

/** Position of a value between `start` and `end`, in pixels. */
export function place({ from, to }: Scale, value: number, start: number, end: number): number {
  return start + ((value - from) / (to - from)) * (end - start)
}
