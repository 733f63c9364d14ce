import { formatAxisNumber, formatTick } from '../../text/format-axis.ts'
import { formatCell } from '../grid/format-cell.ts'
import { cutTo, fittingLabels, GAP, type Label, type Measure, type PlacedLabel } from './axis-labels.ts'
import type { ChartData } from './chart-data.ts'
import type { Scale } from './chart-scale.ts'
import { timeLabels } from './time-ticks.ts'

/** Pixels of a name from which on it is cut rather than others left out. */
const NAME_WIDTH = 72

export interface AxisRoom {
  x(at: number): number
  /** Pixels from one name to the next. */
  readonly step: number
  readonly measure: Measure
  /** Of the whole picture, in pixels. */
  readonly width: number
}

/** The texts below the x axis: as many as fit side by side. */
export function axisLabels(data: ChartData, scale: Scale, room: AxisRoom): readonly PlacedLabel[] {
  const { names, x } = data
  if (names !== null) return fittingLabels(nameLabels(names, room), room)
  if (x.type === 'date' || x.type === 'datetime') return fittingLabels(timesOf(scale, x.type === 'date'), room)
  const text = (value: number): string =>
    x.type === 'integer' || x.type === 'number' ? formatAxisNumber(value, true) : formatCell(value, x.type)
  return fittingLabels(thinned(scale.ticks.map((at) => ({ at, text: text(at) }))), room)
}

function timesOf({ from, to, ticks: [only] }: Scale, utc: boolean): Iterable<readonly Label[]> {
  if (only === undefined) return timeLabels(from, to, utc)
  return [[{ at: only, text: formatTick(only, utc ? 'day' : 'minute', { utc, sameDay: false }) }]]
}

/** Every label, every other one, every third … */
function* thinned(labels: readonly Label[]): Generator<readonly Label[]> {
  for (let every = 1; every < Math.max(2, labels.length); every++)
    yield labels.filter((_, index) => index % every === 0)
}

function* nameLabels(names: readonly string[], { step, measure }: AxisRoom): Generator<readonly Label[]> {
  const enough = Math.min(
    NAME_WIDTH,
    names.reduce((widest, name) => Math.max(widest, measure(name)), 0),
  )
  const first = Math.max(1, Math.ceil((enough + GAP) / step))
  for (let every = first; every === first || every < names.length; every++) {
    const labels: Label[] = []
    for (let at = 0; at < names.length; at += every)
      labels.push({ at, text: cutTo(names[at]!, every * step - GAP, measure) })
    yield labels
  }
}
