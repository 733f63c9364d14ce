import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { suggestCharts, type ChartKind, type ChartSuggestion } from '../../../contract/chart-suggestion.ts'
import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Skeleton } from '../../parts/feedback/skeleton.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { formatCell } from '../grid/format-cell.ts'
import { isNumeric, type GridColumn, type GridSource } from '../grid/grid-source.ts'
import { ChartChoice } from './chart-choice.tsx'
import { chartData } from './chart-data.ts'
import { SERIES } from './chart-look.ts'
import { ChartSvg } from './chart-svg.tsx'
import { savePng, saveSvg } from './save-chart.ts'

/** More rows do not improve a chart. */
const MOST_ROWS = 2000

interface TableChartProps {
  readonly title: string
  readonly columns: readonly GridColumn[]
  readonly source: GridSource
  /** Identifies what is shown: file, sheet and view. */
  readonly of: string
  /** Initial settings, if known; otherwise derived from the rows. */
  readonly suggested?: ChartSuggestion | undefined
}

/**
 * A table as a chart: starts with suitable settings, is configurable, and can be saved as an image. A separate chunk.
 */
export function TableChart({ title, columns, source, of, suggested }: TableChartProps) {
  const id = useId()
  const wanted = Math.min(MOST_ROWS, source.rowCount)
  const query = useQuery({
    // Two answers may have tables with the same title.
    queryKey: ['chart', id, of, wanted],
    queryFn: async () => [...(await source.rows(0, wanted - 1))],
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  })
  const rows = query.data
  const first = useMemo(
    () => (rows === undefined ? null : (suggestCharts(columns, rows)[0] ?? plain(columns))),
    [columns, rows],
  )
  const [own, setOwn] = useState<ChartSuggestion | null>(suggested ?? null)
  const choice = own ?? first
  const data = useMemo(
    () =>
      choice === null || rows === undefined
        ? null
        : chartData(choice, columns, rows, (row, column) => formatCell(row[column.key], column.type)),
    [choice, columns, rows],
  )
  const svg = useRef<SVGSVGElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(640)
  useLayoutEffect(() => {
    if (box.current === null) return undefined
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.max(260, Math.floor(entry?.contentRect.width ?? 640))),
    )
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  const save = (how: 'png' | 'svg'): void => {
    if (svg.current === null) return
    if (how === 'svg') saveSvg(svg.current, title)
    else savePng(svg.current, title).catch(() => toast({ text: t('tables.chart_not_saved'), tone: 'danger' }))
  }
  const kind: ChartKind = choice?.kind ?? 'bar'
  return (
    <div className="min-h-0 overflow-y-auto p-3">
      {choice !== null && <ChartChoice choice={choice} columns={columns} onChange={setOwn} />}
      <div ref={box} className="mt-2 min-h-[340px]">
        {query.isError ? (
          <ErrorNotice title={t('tables.rows_failed')} error={query.error} onRetry={() => void query.refetch()} />
        ) : query.isPending ? (
          <Skeleton className="h-80 w-full" />
        ) : data === null || data.series.every(({ points }) => points.length === 0) ? (
          <p className="text-muted py-12 text-center">{t('tables.chart_nothing')}</p>
        ) : (
          <ChartSvg ref={svg} kind={kind} data={data} width={width} label={t('tables.chart_of', { title })} />
        )}
      </div>
      <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        {data !== null && kind !== 'pie' && (
          <ul className="flex flex-wrap gap-x-4 gap-y-1">
            {data.series.map(({ column }, index) => (
              <li key={column.key} className="flex items-center gap-1.5">
                <svg width="12" height="12" aria-hidden>
                  <rect width="12" height="12" rx="3" fill={SERIES[index % SERIES.length]} />
                </svg>
                {column.label}
              </li>
            ))}
          </ul>
        )}
        <p className="text-muted flex-1 basis-48">
          {source.rowCount > MOST_ROWS &&
            t('tables.chart_first', { shown: formatNumber(MOST_ROWS), total: formatNumber(source.rowCount) })}{' '}
          {data !== null && data.left > 0 && t('tables.chart_left', { count: data.left })}
        </p>
        <div className="flex gap-2">
          <Button size="sm" icon={Download} onClick={() => save('png')} disabled={data === null}>
            PNG
          </Button>
          <Button size="sm" icon={Download} onClick={() => save('svg')} disabled={data === null}>
            SVG
          </Button>
        </div>
      </div>
    </div>
  )
}

/** The default: the first number columns by the first column. */
function plain(columns: readonly GridColumn[]): ChartSuggestion | null {
  const y = columns.find(isNumeric)
  const x = columns.find((column) => column !== y) ?? y
  return y === undefined || x === undefined ? null : { kind: 'bar', x: x.key, y: [y.key] }
}
