interface SparklineProps {
  /** Oldest first; null where nothing was measured. */
  readonly values: readonly (number | null)[]
  /** The value at the top; the line begins at zero. */
  readonly most: number
}

const HEIGHT = 24

/** A day as a line without axes. Where nothing was measured, there is a gap. */
export function Sparkline({ values, most }: SparklineProps) {
  const width = values.length - 1
  const y = (value: number): number => HEIGHT - 1 - (Math.min(value, most) / most) * (HEIGHT - 2)
  let path = ''
  values.forEach((value, at) => {
    if (value === null) return
    const before = values[at - 1] ?? null
    const alone = before === null && (values[at + 1] ?? null) === null
    path += `${before === null ? 'M' : 'L'}${at} ${Math.round(y(value) * 10) / 10}${alone ? 'h0.01' : ''}`
  })
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="text-accent block h-6 w-full"
    >
      <path d={`M0 ${HEIGHT - 0.5}H${width}`} className="stroke-line" fill="none" vectorEffect="non-scaling-stroke" />
      <path
        d={path}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.5}
        strokeLinecap="round"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
