import { memo, useLayoutEffect, useRef } from 'react'
import { classNames } from '../../parts/class-names.ts'
import { formatNumber } from '../../text/format.ts'
import { currentLanguage, t } from '../../text/i18n.ts'
import type { JournalRow } from './journal-rows.ts'

/** Nearer to the end than this, somebody reads the newest lines. */
const AT_END = 40
const BAD: readonly string[] = ['emerg', 'alert', 'crit', 'err']

/** Lines of a log, the newest last and in view, until somebody scrolls up. */
export function JournalLines({ rows, label }: { readonly rows: readonly JournalRow[]; readonly label: string }) {
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  useLayoutEffect(() => {
    if (atEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight
  }, [rows])
  return (
    <div
      ref={box}
      role="region"
      aria-label={label}
      // Reading lines aloud as they come would let nobody do anything else.
      aria-live="off"
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < AT_END
      }}
      className="border-line bg-surface h-[calc(100dvh-27rem)] min-h-72 overflow-auto rounded-lg border py-2 font-mono text-sm"
    >
      {rows.map((row) => (
        <Line key={row.key} row={row} />
      ))}
      {rows.length === 0 && <p className="text-muted px-3 font-sans">{t('journal.empty')}</p>}
    </div>
  )
}

const Line = memo(function Line({ row: { at, priority, source, text, left_out } }: { readonly row: JournalRow }) {
  const bad = priority !== null && BAD.includes(priority)
  return (
    <>
      {left_out > 0 && (
        <p className="text-muted bg-sunken px-3 py-0.5 font-sans">
          {t('journal.left_out', { count: formatNumber(left_out) })}
        </p>
      )}
      <p className="hover:bg-hover gap-x-2 px-3 sm:flex">
        {at !== null && (
          <time dateTime={at} title={at} className="text-muted shrink-0 tabular-nums max-sm:me-2">
            {clockTime(at)}
          </time>
        )}
        {source !== '' && <span className="text-muted shrink-0 max-sm:me-2 sm:w-32 sm:truncate">{source}</span>}
        <span
          className={classNames(
            'min-w-0 break-words whitespace-pre-wrap [overflow-wrap:anywhere]',
            bad && 'text-danger',
            priority === 'warning' && 'text-warn',
          )}
        >
          {(bad || priority === 'warning') && <span className="sr-only">{priority} </span>}
          {text}
        </span>
      </p>
    </>
  )
})

const clocks = new Map<string, Intl.DateTimeFormat>()

/** With seconds, unlike anywhere else: in a log they matter. */
function clockTime(at: string): string {
  const language = currentLanguage()
  const clock = clocks.get(language) ?? new Intl.DateTimeFormat(language, { timeStyle: 'medium' })
  clocks.set(language, clock)
  return clock.format(new Date(at))
}
