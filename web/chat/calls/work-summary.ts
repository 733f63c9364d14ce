import { formatDuration } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import type { WorkCall } from './blocks.ts'
import { isToolSearch } from './tool-search.tsx'

/**
 * The line that stands for calls: what was done by their effects, for how long, and what did not work. A change that
 * failed, was denied or stopped is not counted as one.
 */
export function workSummary(all: readonly WorkCall[]): { readonly done: string; readonly trouble: string } {
  const calls = all.filter((call) => !isToolSearch(call))
  const count = (test: (call: WorkCall['part']['tool_call']) => boolean): number =>
    calls.filter(({ part }) => test(part.tool_call)).length
  const ended = (status: string): boolean => status === 'done' || status === 'unknown'
  const time = calls.reduce((sum, { part }) => sum + (part.tool_call.duration_ms ?? 0), 0)
  const said = (
    key: 'looked' | 'changed' | 'ran' | 'failed' | 'denied' | 'stopped' | 'unclear' | 'searched',
    number: number,
  ) => (number === 0 ? [] : [t(`chat.work_${key}`, { count: number })])
  const done = [
    ...said(
      'looked',
      count(({ effect, status }) => effect === 'read' && (ended(status) || status === 'failed')),
    ),
    ...said(
      'changed',
      count(({ effect, status }) => (effect === 'write' || effect === 'destructive') && ended(status)),
    ),
    ...said(
      'ran',
      count(({ effect, status }) => effect === 'unknown' && (ended(status) || status === 'failed')),
    ),
    ...said('searched', all.length - calls.length),
    ...(time > 0 ? [formatDuration(time)] : []),
    ...said(
      'denied',
      count(({ status }) => status === 'denied'),
    ),
    ...said(
      'stopped',
      count(({ status }) => status === 'cancelled'),
    ),
  ]
  const trouble = [
    ...said(
      'failed',
      count(({ status }) => status === 'failed'),
    ),
    ...said(
      'unclear',
      count(({ status }) => status === 'unknown'),
    ),
  ]
  return { done: done.join(' · '), trouble: trouble.join(' · ') }
}
