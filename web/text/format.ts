import { currentLanguage } from './i18n.ts'

/** Numbers, sizes and times in the reader's language. Dates may be ISO strings or epoch milliseconds. */
type Moment = string | number | Date

export function formatNumber(value: number, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(currentLanguage(), options).format(value)
}

/** `1.5 MiB`: powers of 1,024, at most one decimal; the same units as in the tools' texts. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return formatNumber(bytes, { style: 'unit', unit: 'byte', unitDisplay: 'long' })
  const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  const power = Math.min(units.length, Math.floor(Math.log2(bytes) / 10))
  const amount = bytes / 1024 ** power
  return `${formatNumber(amount, { maximumFractionDigits: amount >= 100 ? 0 : 1 })}\u00a0${units[power - 1]}`
}

/** `240 ms`, `3.2 s`, `4 min 10 s`, `2 hr 5 min`. */
export function formatDuration(milliseconds: number): string {
  const unit = (value: number, name: string, digits = 0): string =>
    formatNumber(value, { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: digits })
  if (milliseconds < 1000) return unit(Math.round(milliseconds), 'millisecond')
  const seconds = milliseconds / 1000
  if (seconds < 60) return unit(seconds, 'second', seconds < 10 ? 1 : 0)
  const whole = Math.floor(seconds)
  const [big, small, size] =
    whole < 3600
      ? (['minute', 'second', 60] as const)
      : whole < 86_400
        ? (['hour', 'minute', 3600] as const)
        : (['day', 'hour', 86_400] as const)
  const rest = Math.floor((whole % size) / (size === 86_400 ? 3600 : size / 60))
  return rest === 0
    ? unit(Math.floor(whole / size), big)
    : `${unit(Math.floor(whole / size), big)} ${unit(rest, small)}`
}

export function formatDateTime(moment: Moment): string {
  return new Intl.DateTimeFormat(currentLanguage(), { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(moment),
  )
}

export function formatDate(moment: Moment): string {
  return new Intl.DateTimeFormat(currentLanguage(), { dateStyle: 'medium' }).format(new Date(moment))
}

export function formatTime(moment: Moment): string {
  return new Intl.DateTimeFormat(currentLanguage(), { timeStyle: 'short' }).format(new Date(moment))
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** With seconds, for lines of a log: a thousand of them at once. */
export function formatClock(moment: Moment): string {
  const language = currentLanguage()
  const clock = clocks.get(language) ?? new Intl.DateTimeFormat(language, { timeStyle: 'medium' })
  clocks.set(language, clock)
  return clock.format(new Date(moment))
}

/** `5 minutes ago`, `in 2 hours`, `yesterday`; a plain date beyond a week. */
export function formatRelative(moment: Moment, now: number = Date.now()): string {
  const seconds = (new Date(moment).getTime() - now) / 1000
  const size = Math.abs(seconds)
  if (size > 7 * 86_400) return formatDate(moment)
  const relative = new Intl.RelativeTimeFormat(currentLanguage(), { numeric: 'auto' })
  if (size < 45) return relative.format(0, 'second')
  if (size < 2700) return relative.format(Math.round(seconds / 60), 'minute')
  if (size < 79_200) return relative.format(Math.round(seconds / 3600), 'hour')
  return relative.format(Math.round(seconds / 86_400), 'day')
}
