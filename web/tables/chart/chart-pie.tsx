import { formatNumber } from '../../text/format.ts'
import { formatCell } from '../grid/format-cell.ts'
import type { ChartData } from './chart-data.ts'
import { cutTo, measureText } from './axis-labels.ts'
import { HEIGHT, SERIES, tenths } from './chart-look.ts'

/** Narrower than this many pixels, the screen is a phone. */
const NARROW = 480

/** A pie chart of the first series with its names beside it. Values that are not above zero have no slice. */
export function ChartPie({ data, width }: { readonly data: ChartData; readonly width: number }) {
  const series = data.series[0]
  const points = series?.points.filter(({ y }) => y > 0) ?? []
  const total = points.reduce((sum, { y }) => sum + y, 0)
  // Names go below the pie when there is no room beside it.
  const narrow = width < NARROW
  const radius = narrow ? 66 : Math.min(HEIGHT / 2 - 16, width / 4)
  const [cx, cy] = narrow ? [width / 2, radius + 8] : [radius + 16, HEIGHT / 2]
  const left = narrow ? 12 : cx + radius + 24
  const top = narrow ? radius * 2 + 26 : 24
  const line = narrow ? 20 : 24
  let angle = -Math.PI / 2
  return points.map((point, index) => {
    const share = point.y / total
    const from = angle
    angle += share * Math.PI * 2
    const color = SERIES[index % SERIES.length]
    const text = `${point.name}: ${formatCell(point.y, series!.column.type)} (${formatNumber(share, { style: 'percent', maximumFractionDigits: 1 })})`
    const corner = (at: number): string => `${tenths(cx + radius * Math.cos(at))} ${tenths(cy + radius * Math.sin(at))}`
    return (
      <g key={point.x}>
        {share > 0.9999 ? (
          <circle cx={cx} cy={cy} r={radius} fill={color} />
        ) : (
          <path
            d={`M ${cx} ${cy} L ${corner(from)} A ${radius} ${radius} 0 ${share > 0.5 ? 1 : 0} 1 ${corner(angle)} Z`}
            fill={color}
            stroke="var(--surface)"
          >
            <title>{text}</title>
          </path>
        )}
        <rect x={left} y={top + index * line} width={12} height={12} rx={3} fill={color} />
        <text x={left + 18} y={top + 10 + index * line}>
          {cutTo(text, width - left - 22, measureText)}
        </text>
      </g>
    )
  })
}
