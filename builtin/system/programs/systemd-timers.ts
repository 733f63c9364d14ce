import { isoTime } from '../linux/kernel-texts.ts'
import { parseShow } from './systemd-units.ts'

/** Properties asked of `systemctl show '*.timer'`. */
export const TIMER_PROPERTIES = [
  'Id',
  'Description',
  'LoadState',
  'ActiveState',
  'UnitFileState',
  'Unit',
  'NextElapseUSecRealtime',
  'NextElapseUSecMonotonic',
  'LastTriggerUSec',
] as const

interface Timer {
  readonly timer: string
  readonly starts: string
  readonly state: string
  readonly at_boot: string
  /** ISO 8601 where the system says it in a way that can be understood, else null. */
  readonly next: string | null
  readonly last: string | null
  readonly description: string
}

/**
 * Timers by when they are due next. `boot` is epoch milliseconds. Asked for with `--timestamp=unix`, times are `@seconds`;
 * systemd before 247 writes them out, with the name of a time zone.
 */
export function parseTimers(text: string, boot: number): Timer[] {
  const timers = parseShow(text).flatMap((unit): Timer[] => {
    const field = (name: string) => unit.get(name) ?? ''
    if (!field('Id').endsWith('.timer') || field('LoadState') === 'not-found') return []
    return [
      {
        timer: field('Id'),
        starts: field('Unit'),
        state: field('ActiveState'),
        at_boot: field('UnitFileState'),
        next: timeOf(field('NextElapseUSecRealtime')) ?? sinceBoot(field('NextElapseUSecMonotonic'), boot),
        last: timeOf(field('LastTriggerUSec')),
        description: field('Description'),
      },
    ]
  })
  const due = ({ next }: Timer) => next ?? '~'
  return timers.sort((a, b) => (due(a) < due(b) ? -1 : due(a) > due(b) ? 1 : a.timer < b.timer ? -1 : 1))
}

/** `@1732003000`, `Tue 2024-11-19 08:00:00 UTC`; anything in another time zone is left out, as its name says no offset. */
function timeOf(text: string): string | null {
  const seconds = /^@(\d{1,11})$/.exec(text)?.[1]
  if (seconds !== undefined) return isoTime(Number(seconds) * 1000)
  const written = /^(?:[A-Z][a-z]{2} )?(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC$/.exec(text.slice(0, 60))
  return written === null ? null : isoTime(Date.parse(`${written[1]}T${written[2]}Z`))
}

const UNITS: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
  month: 30.44 * 86_400_000,
  y: 365.25 * 86_400_000,
}

/** `1d 2h 3min 4.5s` since the boot. */
function sinceBoot(text: string, boot: number): string | null {
  const words = text.slice(0, 100).split(' ')
  let sum = 0
  for (const word of words) {
    const part = /^(\d{1,12}(?:\.\d{1,9})?)([a-z]{1,5})$/.exec(word)
    const unit = part === null ? undefined : UNITS[part[2]!]
    if (part === null || unit === undefined) return null
    sum += Number(part[1]) * unit
  }
  return sum === 0 ? null : isoTime(boot + sum)
}
