import type { Ref } from 'react'
import type { ChartKind } from '../../../contract/chart-suggestion.ts'
import { formatAxisNumber } from '../../text/format-axis.ts'
import { formatCell } from '../grid/format-cell.ts'
import { isNumeric, type GridColumn } from '../grid/grid-source.ts'
import { cutTo, FONT_FAMILY, FONT_SIZE, measureText } from './axis-labels.ts'
import { axisLabels } from './axis-of.ts'
import type { ChartData } from './chart-data.ts'
import { HEIGHT } from './chart-look.ts'
import { ChartPie } from './chart-pie.tsx'
import { niceScale, place, timeScale, type Scale } from './chart-scale.ts'
import { ChartShapes } from './chart-shapes.tsx'

const EDGE = { top: 14, right: 16, bottom: 44 }
/** Of the bottom when the axis has no title of its own. */
const BOTTOM_UNNAMED = 24
/** Of the left, which has the texts of the values. */
const LEFT = { least: 36, most: 120, gap: 8 }

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
      fontFamily={FONT_FAMILY}
      fontSize={FONT_SIZE}
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
  const right = width - EDGE.right
  const bottom = height - (data.x.label === '' ? BOTTOM_UNNAMED : EDGE.bottom)
  const points = data.series.flatMap((series) => series.points)
  const ys = niceScale(
    points.map(({ y }) => y),
    kind === 'bar' || kind === 'area',
  )
  const values = ys.ticks.map((tick) => ({ tick, text: valueText(tick, data.series[0]?.column) }))
  const widest = Math.max(...values.map(({ text }) => measureText(text)))
  const left = Math.round(Math.min(LEFT.most, Math.max(LEFT.least, widest + LEFT.gap * 2)))
  const xs = xScale(
    data,
    points.map(({ x }) => x),
  )
  const y = (value: number): number => place(ys, value, bottom, EDGE.top)
  const x = (value: number): number => place(xs, value, left, right)
  return (
    <>
      {values.map(({ tick, text }) => (
        <g key={tick}>
          <line x1={left} x2={right} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
          <text x={left - LEFT.gap} y={y(tick) + 4} textAnchor="end" fill="var(--muted)">
            {text}
          </text>
        </g>
      ))}
      {axisLabels(data, xs, { x, step: x(1) - x(0), measure: measureText, width }).map((label) => (
        <text key={label.at} data-tick="x" x={label.x} y={bottom + 18} textAnchor="middle" fill="var(--muted)">
          {label.text}
        </text>
      ))}
      <text x={(left + right) / 2} y={height - 6} textAnchor="middle" fill="var(--muted)">
        {cutTo(data.x.label, right - left, measureText)}
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

/** Names are side by side, half a step from the edges. */
function xScale({ names, x }: ChartData, values: readonly number[]): Scale {
  if (names !== null) return { from: -0.5, to: names.length - 0.5, ticks: [] }
  return isNumeric(x) ? niceScale(values, false, 8) : timeScale(values)
}

function valueText(value: number, column: GridColumn | undefined): string {
  return column === undefined || column.type === 'integer' || column.type === 'number'
    ? formatAxisNumber(value, false)
    : formatCell(value, column.type)
}
