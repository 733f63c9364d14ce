import type { Meters } from '../../contract/usage.ts'
import { classNames } from '../parts/class-names.ts'
import { formatDateTime, formatNumber } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { formatCost } from './format-cost.ts'

/** Above this share of a limit, it is shown as nearly used up. */
const NEAR = 0.8
const KINDS = ['messages', 'tokens', 'cost_micros'] as const

/** Usage against today's and this month's limits; renders nothing without limits. */
export function MeterList({ day, month }: { readonly day: Meters; readonly month: Meters }) {
  const rows = [
    ...KINDS.map((kind) => ({ span: 'day' as const, kind, meters: day })),
    ...KINDS.map((kind) => ({ span: 'month' as const, kind, meters: month })),
  ].filter(({ kind, meters }) => meters[kind].limit !== null)
  if (rows.length === 0) return null
  return (
    <ul className="space-y-3">
      {rows.map(({ span, kind, meters }) => (
        <li key={span + kind}>
          <MeterRow label={t(`usage.limit_${span}_${kind}`)} kind={kind} meters={meters} />
        </li>
      ))}
    </ul>
  )
}

function MeterRow({ label, kind, meters }: { label: string; kind: (typeof KINDS)[number]; meters: Meters }) {
  const { used, limit } = meters[kind]
  const most = limit ?? 0
  const share = most === 0 ? 1 : Math.min(1, used / most)
  const format = kind === 'cost_micros' ? formatCost : formatNumber
  const over = used >= most
  return (
    <div>
      <div className="flex flex-wrap justify-between gap-x-3 text-sm">
        <span className="font-medium">{label}</span>
        <span className="tabular text-muted">{t('usage.used_of', { used: format(used), limit: format(most) })}</span>
      </div>
      <div
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        className="bg-hover mt-1 h-1.5 overflow-hidden rounded-full"
      >
        <div
          className={classNames('h-full rounded-full', over ? 'bg-danger' : share >= NEAR ? 'bg-warn' : 'bg-accent')}
          style={{ width: `${share * 100}%` }}
        />
      </div>
      {share >= NEAR && (
        <p className={classNames('mt-1 text-sm', over ? 'text-danger' : 'text-warn')}>
          {t(over ? 'usage.used_up' : 'usage.nearly_used_up', { time: formatDateTime(meters.resets_at) })}
        </p>
      )}
    </div>
  )
}
