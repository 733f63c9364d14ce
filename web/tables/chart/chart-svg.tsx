import type { Ref } from 'react'
import type { ChartKind } from '../../../contract/chart-suggestion.ts'
import { formatDate, formatDateTime, formatNumber } from '../../text/format.ts'
import { formatCell } from '../grid/format-cell.ts'
import type { GridColumn } from '../grid/grid-source.ts'
import type { ChartData } from './chart-data.ts'
import { ChartPie } from './chart-pie.tsx'
import { cut, HEIGHT } from './chart-look.ts'
import { niceScale, place, timeScale, type Scale } from './chart-scale.ts'
import { ChartShapes } from './chart-shapes.tsx'

const EDGE = { top: 14, right: 16, bottom: 44, left: 64 }
/** Name below the axis when it has no title of its own. */
const BOTTOM_UNNAMED = 24
/** Pixels that a bar's name needs. */
const NAME_PX = 74

interface ChartSvgProps {
  readonly kind: ChartKind
  readonly data: ChartData
  readonly width: number
  readonly label: string
  readonly ref?: Ref<SVGSVGElement>
  /** In pixels. */
  readonly height?: number
}

/**
 * A chart as SVG that uses only attributes, so that it can be saved as is. Text and line colours come from the theme.
 */
export function ChartSvg({ kind, data, width, label, ref, height = HEIGHT }: ChartSvgProps) {
  return (
    <svg
      ref={ref}
      role="img"
      aria-label={label}
      xmlns="http://www.w3.org/2000/svg"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      fontFamily="Inter, system-ui, sans-serif"
      fontSize={12}
      fill="var(--ink)"
    >
      {kind === 'pie' ? (
        <ChartPie data={data} width={width} />
      ) : (
        <Axes kind={kind} data={data} width={width} height={height} />
      )}
    </svg>
  )
}

function Axes({
  kind,
  data,
  width,
  height,
}: {
  kind: Exclude<ChartKind, 'pie'>
  data: ChartData
  width: number
  height: number
}) {
  const left = EDGE.left
  const right = width - EDGE.right
  const bottom = height - (data.x.label === '' ? BOTTOM_UNNAMED : EDGE.bottom)
  const points = data.series.flatMap((series) => series.points)
  const ys = niceScale(
    points.map(({ y }) => y),
    kind === 'bar' || kind === 'area',
  )
  const xs = xScale(
    data,
    points.map(({ x }) => x),
    right - left,
  )
  const y = (value: number): number => place(ys, value, bottom, EDGE.top)
  const x = (value: number): number => place(xs, value, left, right)
  const unit = data.series[0]?.column
  return (
    <>
      {ys.ticks.map((tick) => (
        <g key={tick}>
          <line x1={left} x2={right} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
          <text x={left - 8} y={y(tick) + 4} textAnchor="end" fill="var(--muted)">
            {axisText(tick, unit)}
          </text>
        </g>
      ))}
      {xs.ticks.map((tick) => (
        // The last one would overlap the edge.
        <text
          key={tick}
          x={x(tick) > right - NAME_PX / 2 && data.names === null ? width - 4 : x(tick)}
          y={bottom + 18}
          textAnchor={x(tick) > right - NAME_PX / 2 && data.names === null ? 'end' : 'middle'}
          fill="var(--muted)"
        >
          {data.names === null ? axisText(tick, data.x) : cut(data.names[tick] ?? '', 12)}
        </text>
      ))}
      <text x={(left + right) / 2} y={height - 6} textAnchor="middle" fill="var(--muted)">
        {cut(data.x.label, 60)}
      </text>
      <ChartShapes
        kind={kind}
        data={data}
        x={x}
        y={y}
        base={y(Math.max(ys.from, Math.min(0, ys.to)))}
        step={x(1) - x(0)}
      />
    </>
  )
}

/** Names are side by side, half a step from the edges; some are left out when there is no room. */
function xScale({ names, x }: ChartData, values: readonly number[], width: number): Scale {
  const fitting = Math.max(2, Math.floor(width / NAME_PX))
  if (names === null) {
    const time = x.type === 'date' || x.type === 'datetime'
    return time ? timeScale(values, Math.min(fitting, 6)) : niceScale(values, false, Math.min(fitting, 8))
  }
  const every = Math.ceil(names.length / fitting)
  return {
    from: -0.5,
    to: names.length - 0.5,
    ticks: names.map((_, index) => index).filter((index) => index % every === 0),
  }
}

function axisText(value: number, column: GridColumn | undefined): string {
  if (column?.type === 'date') return formatDate(new Date(value).toISOString().slice(0, 10))
  if (column?.type === 'datetime') return formatDateTime(value)
  if (column !== undefined && column.type !== 'integer' && column.type !== 'number')
    return formatCell(value, column.type)
  return formatNumber(value, {
    notation: Math.abs(value) >= 10_000 ? 'compact' : 'standard',
    maximumFractionDigits: 4,
    useGrouping: false,
  })
}
