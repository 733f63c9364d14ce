import { formatCell } from '../grid/format-cell.ts'
import type { ChartData, ChartPoint, ChartSeries } from './chart-data.ts'
import { SERIES, tenths } from './chart-look.ts'

interface ChartShapesProps {
  readonly kind: 'line' | 'bar' | 'area' | 'scatter'
  readonly data: ChartData
  x(value: number): number
  y(value: number): number
  /** Baseline of bars and areas, and the width of one category, in pixels. */
  readonly base: number
  readonly step: number
}

/** Longer lines have no individual point markers. */
const MARKED = 200

/** Lines, areas, bars or points; each has a tooltip. */
export function ChartShapes({ kind, data, x, y, base, step }: ChartShapesProps) {
  const { series } = data
  const dot = (one: ChartSeries, point: ChartPoint, index: number, color: string) => (
    <circle
      key={index}
      cx={x(point.x)}
      cy={y(point.y)}
      r={kind === 'scatter' ? 3.5 : 2.5}
      fill={color}
      fillOpacity={kind === 'scatter' ? 0.65 : 1}
    >
      <title>{pointText(one, point)}</title>
    </circle>
  )
  return series.map((one, index) => {
    const color = SERIES[index % SERIES.length]!
    const { points } = one
    if (kind === 'bar') {
      const gap = Math.min(12, step * 0.25)
      const width = Math.max(1, (step - gap) / series.length)
      return (
        <g key={one.column.key} fill={color}>
          {points.map((point) => (
            <rect
              key={point.x}
              x={x(point.x) - (step - gap) / 2 + index * width}
              y={Math.min(base, y(point.y))}
              width={Math.max(1, width - (series.length > 1 ? 1 : 0))}
              height={Math.max(0.5, Math.abs(base - y(point.y)))}
              rx={Math.min(2, width / 4)}
            >
              <title>{pointText(one, point)}</title>
            </rect>
          ))}
        </g>
      )
    }
    const path = points.map((point) => `${tenths(x(point.x))},${tenths(y(point.y))}`).join(' ')
    const first = points[0]
    const last = points.at(-1)
    return (
      <g key={one.column.key}>
        {kind === 'area' && first !== undefined && last !== undefined && (
          <polygon
            points={`${tenths(x(first.x))},${tenths(base)} ${path} ${tenths(x(last.x))},${tenths(base)}`}
            fill={color}
            fillOpacity={0.22}
          />
        )}
        {kind !== 'scatter' && (
          <polyline points={path} fill="none" stroke={color} strokeWidth={2} strokeLinejoin="round" />
        )}
        {(kind === 'scatter' || points.length <= MARKED) && points.map((point, at) => dot(one, point, at, color))}
      </g>
    )
  })
}

function pointText({ column }: ChartSeries, point: ChartPoint): string {
  return `${point.name}: ${formatCell(point.y, column.type)} (${column.label})`
}
