import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { suggestCharts, type ChartKind, type ChartSuggestion } from '../../../contract/chart-suggestion.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Skeleton } from '../../parts/feedback/skeleton.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { formatCell } from '../grid/format-cell.ts'
import { isNumeric, type GridColumn, type GridRow, type GridSource } from '../grid/grid-source.ts'
import { ChartChoice } from './chart-choice.tsx'
import { chartData, isDrawable, type ChartData, type ChartRows } from './chart-data.ts'
import { SERIES } from './chart-look.ts'
import { ChartSvg } from './chart-svg.tsx'
import { savePng, saveSvg } from './save-chart.ts'

/** Rows that tell which chart suits the table. */
const LOOKED_AT = 500

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
  const start = useQuery({
    // Two answers may have tables with the same title.
    queryKey: ['chart', id, of, 'start'],
    queryFn: async () => [...(await source.rows(0, Math.min(LOOKED_AT, source.rowCount) - 1))],
    enabled: suggested === undefined,
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  })
  const first = useMemo(
    () => (start.data === undefined ? null : (suggestCharts(columns, start.data)[0] ?? plain(columns))),
    [columns, start.data],
  )
  const [own, setOwn] = useState<ChartSuggestion | null>(suggested ?? null)
  const choice = own ?? first
  const drawable = choice !== null && isDrawable(choice, columns)
  const query = useQuery({
    queryKey: ['chart', id, of, choice],
    queryFn: async (): Promise<Drawn> => {
      const all = async (): Promise<ChartRows> => whole(await source.rows(0, Math.max(0, source.rowCount - 1)))
      return { choice: choice!, ...(await (source.chart?.(choice!) ?? all())) }
    },
    enabled: drawable,
    // While another chart loads, this one stays.
    placeholderData: keepPreviousData,
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  })
  const found = drawable ? query.data : undefined
  const data = useMemo(() => {
    const format = (row: GridRow, column: GridColumn): string => formatCell(row[column.key], column.type)
    return found === undefined ? null : chartData(found.choice, columns, found, format)
  }, [columns, found])
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
  const kind: ChartKind = found?.choice.kind ?? 'bar'
  const failed = start.isError ? start : query.isError ? query : null
  return (
    <div className="min-h-0 overflow-y-auto p-3">
      {choice !== null && <ChartChoice choice={choice} columns={columns} onChange={setOwn} />}
      <div ref={box} className="mt-2 min-h-[340px]">
        {failed !== null ? (
          <ErrorNotice title={t('tables.rows_failed')} error={failed.error} onRetry={() => void failed.refetch()} />
        ) : start.isLoading || query.isLoading ? (
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
        <p className="text-muted flex-1 basis-48">{data !== null && caption(kind, data)}</p>
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

/** What is drawn, and of what. */
interface Drawn extends ChartRows {
  readonly choice: ChartSuggestion
}

function whole(rows: ChartRows['rows']): ChartRows {
  return { rows, total: rows.length, summed: false }
}

/** How much of the table is drawn, if not all of it. */
function caption(kind: ChartKind, { left, drawn }: ChartData): string {
  if (left === 0) return ''
  return kind === 'bar' || kind === 'pie'
    ? t('tables.chart_left', { count: left })
    : t('tables.chart_thinned', { shown: drawn, total: drawn + left })
}

/** The default: the first number columns by the first column. */
function plain(columns: readonly GridColumn[]): ChartSuggestion | null {
  const y = columns.find(isNumeric)
  const x = columns.find((column) => column !== y) ?? y
  return y === undefined || x === undefined ? null : { kind: 'bar', x: x.key, y: [y.key] }
}
