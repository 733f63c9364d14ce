import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { UsageDay } from '../../contract/usage.ts'
import { formatNumber } from '../text/format.ts'
import { formatDay } from '../text/format-axis.ts'
import { t } from '../text/i18n.ts'
import { Panel } from '../parts/layout/panel.tsx'
import type { ChartData } from '../tables/chart/chart-data.ts'
import { ChartSvg } from '../tables/chart/chart-svg.tsx'
import { formatCost } from './format-cost.ts'
import { everyDay } from './usage-days.ts'

const HEIGHT = 220
const MEASURES = ['tokens', 'messages', 'cost'] as const
type Measure = (typeof MEASURES)[number]

interface UsageChartProps {
  readonly days: readonly UsageDay[]
  /** Number of days up to today. */
  readonly count: number
}

/** AI usage per day as bars: tokens, messages or cost. A separate chunk. */
export function UsageChart({ days, count }: UsageChartProps) {
  const [measure, setMeasure] = useState<Measure>('tokens')
  const all = useMemo(() => everyDay(days, count, Date.now()), [days, count])
  const data = useMemo(() => chartOf(all, measure), [all, measure])
  const total = all.reduce((sum, day) => sum + amountOf(day, measure), 0)
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(560)
  useLayoutEffect(() => {
    if (box.current === null) return undefined
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.max(240, Math.floor(entry?.contentRect.width ?? 560))),
    )
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  const priced = days.some(({ cost_micros }) => cost_micros > 0)
  return (
    <Panel className="p-4">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p>
          <span className="tabular text-lg font-semibold">
            {measure === 'cost' ? formatCost(total) : formatNumber(total)}
          </span>{' '}
          <span className="text-muted text-sm">{t(`usage.in_days_${measure}`, { count })}</span>
        </p>
        <div role="group" aria-label={t('usage.measure')} className="border-line flex rounded-md border p-0.5">
          {MEASURES.filter((one) => one !== 'cost' || priced).map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === measure}
              onClick={() => setMeasure(one)}
              className="text-muted hover:text-ink aria-pressed:bg-accent-soft aria-pressed:text-accent h-7 rounded px-2.5 text-sm font-medium"
            >
              {t(`usage.${one}`)}
            </button>
          ))}
        </div>
      </div>
      <div ref={box} style={{ minHeight: HEIGHT }}>
        {total === 0 ? (
          <p className="text-muted py-20 text-center">{t('usage.nothing')}</p>
        ) : (
          <ChartSvg
            kind="bar"
            data={data}
            width={width}
            height={HEIGHT}
            label={t(`usage.chart_${measure}`, { count })}
          />
        )}
      </div>
    </Panel>
  )
}

function amountOf(day: UsageDay, measure: Measure): number {
  if (measure === 'tokens') return day.input_tokens + day.output_tokens
  return measure === 'messages' ? day.messages : day.cost_micros
}

function chartOf(days: readonly UsageDay[], measure: Measure): ChartData {
  const names = days.map(({ day }) => formatDay(day))
  const type = measure === 'cost' ? 'number' : 'integer'
  const y = (day: UsageDay): number => (measure === 'cost' ? day.cost_micros / 1e6 : amountOf(day, measure))
  return {
    x: { key: 'day', label: '', type: 'text' },
    names,
    drawn: names.length,
    left: 0,
    series: [
      {
        column: { key: measure, label: t(`usage.${measure}`), type },
        points: days.map((day, index) => ({ x: index, y: y(day), name: day.day })),
      },
    ],
  }
}
