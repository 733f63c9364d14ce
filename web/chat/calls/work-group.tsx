import { useId, useState } from 'react'
import { Button } from '../../parts/controls/button.tsx'
import { ToolStatus } from '../../parts/feedback/tool-status.tsx'
import { t } from '../../text/i18n.ts'
import { Reasoning } from '../message/reasoning.tsx'
import type { Work, WorkCall } from './blocks.ts'
import { CallOutcome, staysOpen } from './call-outcome.tsx'
import { CallRow, Chevron } from './call-row.tsx'
import { usePinnedTables } from './pinned-tables.ts'
import { isToolSearch, ToolSearch } from './tool-search.tsx'
import { workSummary } from './work-summary.ts'

/** So many steps are shown at once; more on request. */
const PAGE = 100

interface WorkGroupProps {
  readonly work: Work
  /** The engine is thinking in it at the moment. */
  readonly thinking: boolean
  /** Latest progress line of running tools, by tool_call_id. */
  readonly progress: Readonly<Record<string, string>>
}

/**
 * Consecutive calls: one line that opens to a list with a line for each. What waits for the person, stays open or was made
 * is in view below it either way. A call that waits for approval is its card, and nothing else.
 */
export function WorkGroup({ work, thinking, progress }: WorkGroupProps) {
  const [open, setOpen] = useState(false)
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const [limit, setLimit] = useState(PAGE)
  const listId = useId()
  const pins = usePinnedTables()
  const steps = work.steps.filter((step) => !isWaiting(step))
  const calls = work.calls.filter((call) => !isWaiting(call))
  const waiting = work.calls.filter(isWaiting)
  const single = steps.length === 1
  const unfolded = single || open
  // What may have changed something unseen is never folded away.
  const rows = unfolded ? steps.slice(0, limit) : calls.filter(({ part }) => part.tool_call.status === 'unknown')
  return (
    <>
      {steps.length > 0 && (
        <div className={isOnlySearch(steps) ? undefined : 'rounded-lg border border-line bg-surface'}>
          {!single && (
            <WorkLine
              calls={calls}
              thinking={thinking}
              progress={progress}
              open={open}
              listId={listId}
              onOpen={setOpen}
            />
          )}
          {rows.length > 0 && (
            // One call alone is not a list.
            <ol
              id={listId}
              role={single ? 'presentation' : undefined}
              className={single ? undefined : 'divide-y divide-line border-t border-line'}
            >
              {rows.map((step) =>
                'part' in step && isToolSearch(step) ? (
                  <li key={step.part.tool_call.tool_call_id}>
                    <ToolSearch call={step} />
                  </li>
                ) : 'part' in step ? (
                  <li key={step.part.tool_call.tool_call_id}>
                    <CallRow
                      call={step}
                      progress={progress[step.part.tool_call.tool_call_id]}
                      open={opened.has(step.part.tool_call.tool_call_id)}
                      pinned={staysOpen(step, pins)}
                      onOpen={(wanted) => {
                        setOpened(toggled(opened, step.part.tool_call.tool_call_id, wanted))
                        // A list that is being read stays open when more calls come.
                        if (single) setOpen(wanted)
                      }}
                    />
                  </li>
                ) : (
                  <li key={step.index} className="px-2.5 py-1.5">
                    <Reasoning
                      text={step.text}
                      active={thinking && step === work.steps.at(-1)}
                      duration={step.duration_ms}
                    />
                  </li>
                ),
              )}
            </ol>
          )}
          {unfolded && steps.length > limit && (
            <div className="border-t border-line p-1.5">
              <Button variant="ghost" size="sm" onClick={() => setLimit(limit + PAGE)}>
                {t('chat.work_more', { count: Math.min(PAGE, steps.length - limit) })}
              </Button>
            </div>
          )}
        </div>
      )}
      {work.calls.map((call) => (
        <CallOutcome
          key={call.part.tool_call.tool_call_id}
          call={call}
          pinned={staysOpen(call, pins)}
          step={call === waiting.at(-1) ? waiting.flatMap(({ part }) => part.approval ?? []) : undefined}
        />
      ))}
    </>
  )
}

/** A search alone is a line in the answer. */
function isOnlySearch([first, ...others]: Work['steps']): boolean {
  return first !== undefined && others.length === 0 && 'part' in first && isToolSearch(first)
}

interface WorkLineProps {
  readonly calls: readonly WorkCall[]
  readonly thinking: boolean
  readonly progress: Readonly<Record<string, string>>
  readonly open: boolean
  readonly listId: string
  onOpen(open: boolean): void
}

function WorkLine({ calls, thinking, progress, open, listId, onOpen }: WorkLineProps) {
  const running = calls.find(({ part }) => part.tool_call.status === 'running')?.part.tool_call
  const ended = calls.filter(({ part }) => !/running|pending/.test(part.tool_call.status)).length
  const { done, trouble } = workSummary(calls)
  return (
    <h3>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={listId}
        onClick={() => onOpen(!open)}
        className="flex min-h-9 w-full items-center gap-2 rounded-lg px-2.5 py-1.5 text-start hover:bg-hover focus-visible:-outline-offset-2"
      >
        {running === undefined ? (
          <span className="min-w-0 flex-1 truncate">
            <span className="text-muted">{thinking ? t('chat.thinking') : done}</span>
            {!thinking && trouble !== '' && (
              <span className="text-danger">{done === '' ? trouble : ` · ${trouble}`}</span>
            )}
          </span>
        ) : (
          <>
            <ToolStatus status="running" iconOnly className="shrink-0" />
            <span className="max-w-[60%] min-w-0 shrink-0 truncate font-medium">{running.title}</span>
            <span className="min-w-0 flex-1 truncate text-sm text-muted">{progress[running.tool_call_id]}</span>
            <span className="shrink-0 text-xs text-muted tabular-nums">
              {t('chat.work_done_of', { done: ended, count: calls.length })}
            </span>
          </>
        )}
        <Chevron open={open} />
      </button>
    </h3>
  )
}

/** Whether a step is a call that waits for approval: its card stands for it. */
function isWaiting(step: Work['steps'][number]): boolean {
  return 'part' in step && step.part.approval?.status === 'pending'
}

function toggled(all: ReadonlySet<string>, id: string, on: boolean): ReadonlySet<string> {
  return new Set(on ? [...all, id] : [...all].filter((one) => one !== id))
}
