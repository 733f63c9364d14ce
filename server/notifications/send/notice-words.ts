import { PausedBy } from '../../../contract/routine-values.ts'
import { WatchFigure, WatchPreset } from '../../../contract/watch-values.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import type { NoticeFacts } from '../notices.ts'

type Told = Pick<NoticeFacts, 'event' | 'name' | 'detail'>

/** As its owner calls it; what every installation begins with in the reader's language. */
export function nameOf({ name, detail }: Pick<Told, 'name' | 'detail'>): string | Sentence {
  const preset = WatchPreset.safeParse(detail['preset'])
  return preset.success ? PRESETS[preset.data] : name
}

/** Its small facts, a line each; what has no words of its own is shown by its name. */
export function factsOf({ event, detail }: Told, language: string): (string | Sentence)[] {
  if (event === 'watch_crossed' || event === 'watch_recovered') return watchFacts(detail, language)
  return Object.entries(detail).map(([name, value]) => {
    if (name === 'failures') return say`Failures in a row: ${value}`
    const paused = name === 'by' ? PausedBy.safeParse(value) : null
    return paused?.success === true ? PAUSED[paused.data] : `${name}: ${value}`
  })
}

function watchFacts(detail: Told['detail'], language: string): (string | Sentence)[] {
  const { count, machine, figure, value, bound, preset: _, ...others } = detail
  const known = WatchFigure.safeParse(figure)
  const facts: (string | Sentence)[] = []
  if (machine !== undefined) facts.push(String(machine))
  if (known.success && value !== undefined) {
    const what = FIGURES[known.data]
    const seen = valueText(known.data, value, language)
    facts.push(
      bound === undefined
        ? say`${what}: ${seen}`
        : say`${what}: ${seen}; the bound is ${valueText(known.data, bound, language)}`,
    )
  }
  if (typeof count === 'number' && count > 1)
    facts.push(machine === undefined ? say`Rows: ${count}` : say`And ${count - 1} more.`)
  return [...facts, ...Object.entries(others).map(([name, other]) => `${name}: ${other}`)]
}

/** A value with its unit, as the page of the watches shows it. */
function valueText(figure: WatchFigure, value: string | number, language: string): string {
  if (typeof value === 'string') return value
  return new Intl.NumberFormat(language, { maximumFractionDigits: 2, ...UNITS[figure] }).format(
    figure === 'disk_used' || figure === 'memory_used' ? value / 100 : value,
  )
}

const PERCENT = { style: 'percent', maximumFractionDigits: 1 } as const
const UNITS: Partial<Record<WatchFigure, Intl.NumberFormatOptions>> = {
  disk_used: PERCENT,
  memory_used: PERCENT,
  backup_age: { style: 'unit', unit: 'hour', unitDisplay: 'long', maximumFractionDigits: 1 },
  certificate_days: { style: 'unit', unit: 'day', unitDisplay: 'long', maximumFractionDigits: 1 },
}

const PRESETS: Readonly<Record<WatchPreset, Sentence>> = {
  disk: say`Disk almost full`,
  services: say`Service failed`,
  backup: say`Backup overdue`,
  certificate: say`Certificate expires soon`,
}

const FIGURES: Readonly<Record<WatchFigure, Sentence>> = {
  disk_used: say`Disk space used`,
  memory_used: say`Memory used`,
  load: say`Load per core`,
  failed_services: say`Failed services`,
  backup_age: say`Age of the last backup`,
  certificate_days: say`Validity of the certificate`,
}

const PAUSED: Readonly<Record<PausedBy, Sentence>> = {
  hand: say`You paused it.`,
  failures: say`Paused after three failures in a row. Look at the last run before you resume it.`,
  owner_disabled: say`Paused, because the account was disabled.`,
  permission: say`Paused, because you were not permitted to run it.`,
  admin: say`An administrator stopped it and can give it back.`,
}
