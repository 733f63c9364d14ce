import type { Watch } from './watches-query.ts'
import { formatDuration, formatNumber } from '../text/format.ts'
import { t } from '../text/i18n.ts'

type Source = Watch['source']
type Value = Watch['subjects'][number]['value']
export type Figure = Extract<Source, { kind: 'figure' }>['figure']

/** What it is called: those that an installation begins with in the reader's language. */
export function watchName({ preset, name }: Pick<Watch, 'preset' | 'name'>): string {
  return preset === null ? name : t(`watches.preset_${preset}`)
}

export function figureName(figure: Figure): string {
  return t(`watches.figure_${figure}`)
}

/** What is said where a look at a figure has found nothing to look at. */
export function nothingText(source: Source): string {
  return t(source.kind === 'figure' ? 'watches.no_certificate' : 'watches.tried_none')
}

/** A value with its unit. */
export function valueText(source: Source, value: Value): string {
  if (value === null) return '–'
  if (typeof value === 'string') return value
  return source.kind === 'table' ? formatNumber(value, { maximumFractionDigits: 2 }) : figureText(source.figure, value)
}

/** The same of a figure. */
export function figureText(figure: Figure, value: string | number): string {
  if (typeof value === 'string') return value
  switch (figure) {
    case 'disk_used':
    case 'memory_used':
      return formatNumber(value / 100, { style: 'percent', maximumFractionDigits: 1 })
    case 'backup_age':
      return formatNumber(value, { style: 'unit', unit: 'hour', unitDisplay: 'long', maximumFractionDigits: 1 })
    case 'certificate_days':
      return formatNumber(value, { style: 'unit', unit: 'day', unitDisplay: 'long', maximumFractionDigits: 1 })
    default:
      return formatNumber(value, { maximumFractionDigits: 2 })
  }
}

/** "Disk used above 90 % for 10 min". */
export function conditionText({ source, condition }: Pick<Watch, 'source' | 'condition'>): string {
  const { is, bound, for_s } = condition
  const what =
    source.kind === 'figure'
      ? figureName(source.figure)
      : `${source.module}.${source.tool} · ${source.column ?? t('watches.row_count')}`
  const said = t(`watches.says_${is}`, { what, bound: valueText(source, bound) })
  return for_s === 0 ? said : t('watches.for_so_long', { said, time: formatDuration(for_s * 1000) })
}

/** Which machines; empty where there are none to name. */
export function machinesText({ source }: Pick<Watch, 'source'>, nameOf: (host_id: string) => string): string {
  const { machines } = source
  switch (machines.of) {
    case 'all':
      return t('watches.all_machines')
    case 'tag':
      return `#${machines.tag}`
    case 'host':
      return nameOf(machines.host_id)
    case 'local':
      return ''
  }
}
