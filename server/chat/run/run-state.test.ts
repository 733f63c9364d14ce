import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RunStatus, ToolCallStatus } from '../../../contract/chat.ts'
import {
  hasEnded,
  ImpossibleEvent,
  isFinished,
  next,
  type CallState,
  type RunEvent,
  type RunState,
} from './run-state.ts'

// Few ids, so that events often meet calls.
const ids: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c')
const cards: fc.Arbitrary<string | null> = fc.option(ids)
const asked = fc.constantFrom<ToolCallStatus>('pending', 'awaiting_approval', 'denied', 'failed')
const requested = fc
  .uniqueArray(fc.record({ tool_call_id: ids, status: asked }), {
    selector: (call) => call.tool_call_id,
    minLength: 0,
    maxLength: 3,
  })
  .map((calls) => ({ type: 'tools_requested' as const, calls }))
const ends = fc.constantFrom(
  'done' as const,
  'failed' as const,
  'denied' as const,
  'cancelled' as const,
  'unknown' as const,
)
const steps: fc.Arbitrary<RunEvent>[] = [
  requested,
  fc.record({ type: fc.constant('call_started' as const), tool_call_id: ids }),
  fc.record({ type: fc.constant('call_ended' as const), tool_call_id: ids, status: ends }),
  fc.record({ type: fc.constant('approval_needed' as const), tool_call_id: ids }),
  fc.record({ type: fc.constant('approval_decided' as const), tool_call_id: cards, approved: fc.boolean() }),
]
const endings: fc.Arbitrary<RunEvent> = fc.constantFrom(
  { type: 'model_answered' as const },
  { type: 'run_cancelled' as const },
  { type: 'run_failed' as const },
  { type: 'run_interrupted' as const },
)
const anyEvent = fc.oneof(...steps.map((arbitrary) => ({ arbitrary, weight: 6 })), { arbitrary: endings, weight: 1 })
const starts = fc.constantFrom<RunState>(
  { status: 'thinking', step: 0, calls: [] },
  { status: 'waiting_approval', step: 0, calls: [] },
)
const stories = fc.tuple(starts, fc.array(anyEvent, { maxLength: 60, size: 'max' }))
const RUNS = { numRuns: 1000 }

interface Moment {
  readonly before: RunState
  readonly event: RunEvent
  readonly after: RunState
}

/** The outcome of the events in this order, with impossible ones refused. */
function play([start, events]: readonly [RunState, readonly RunEvent[]]): {
  moments: Moment[]
  refused: Moment[]
  end: RunState
} {
  const moments: Moment[] = []
  const refused: Moment[] = []
  let state = start
  for (const event of events) {
    const before = state
    try {
      state = next(before, event)
      moments.push({ before, event, after: state })
    } catch (error) {
      if (!(error instanceof ImpossibleEvent)) throw error
      refused.push({ before, event, after: state })
    }
  }
  return { moments, refused, end: state }
}

function callOf(state: RunState, tool_call_id: string): CallState | undefined {
  return state.calls.find((call) => call.tool_call_id === tool_call_id)
}

function property(check: (played: ReturnType<typeof play>) => void): void {
  fc.assert(
    fc.property(stories, (story) => check(play(story))),
    RUNS,
  )
}

describe('the state of a run, whatever happens in whatever order', () => {
  test('a finished run stays as it is: every event is impossible', () => {
    fc.assert(
      fc.property(stories, anyEvent, (story, event) => {
        const { end } = play([story[0], [...story[1], { type: 'run_cancelled' }]])
        expect(isFinished(end.status)).toBe(true)
        expect(() => next(end, event)).toThrow(ImpossibleEvent)
      }),
      RUNS,
    )
  })

  test('no call starts while the run waits for approval', () => {
    const starts = new Set<string>()
    property(({ moments }) => {
      for (const { before, event } of moments) if (event.type === 'call_started') starts.add(before.status)
    })
    expect([...starts]).toEqual(['acting'])
  })

  test('the run waits exactly while a call awaits approval', () => {
    property(({ moments }) => {
      for (const { after } of moments) {
        const awaited = after.calls.some((call) => call.status === 'awaiting_approval')
        expect(after.status === 'waiting_approval').toBe(awaited)
      }
    })
  })

  test('a call starts only from pending, so one that was denied, failed, cancelled or started never does', () => {
    property(({ moments }) => {
      for (const { before, event, after } of moments) {
        if (event.type !== 'call_started') continue
        expect(callOf(before, event.tool_call_id)?.status).toBe('pending')
        expect(callOf(after, event.tool_call_id)?.status).toBe('running')
      }
    })
  })

  test('a call that ended never changes again, and none starts twice in a step', () => {
    property(({ moments }) => {
      const started = new Set<string>()
      for (const { before, event, after } of moments) {
        if (event.type === 'call_started') {
          const key = `${before.step} ${event.tool_call_id}`
          expect(started.has(key)).toBe(false)
          started.add(key)
        }
        if (event.type === 'tools_requested') continue
        for (const call of before.calls.filter(({ status }) => hasEnded(status))) {
          const later = callOf(after, call.tool_call_id)
          if (after.calls.length > 0) expect(later?.status).toBe(call.status)
        }
      }
    })
  })

  test('the model goes on, and the run is over, only with no call open', () => {
    property(({ moments }) => {
      for (const { after } of moments) {
        if (after.status === 'thinking' || isFinished(after.status)) {
          expect(after.calls.filter((call) => !hasEnded(call.status))).toEqual([])
        }
      }
    })
  })

  test('a running call becomes unknown when the run ends under it, one that had not started becomes cancelled', () => {
    property(({ moments }) => {
      for (const { before, event, after } of moments) {
        if (!event.type.startsWith('run_')) continue
        for (const { tool_call_id, status } of before.calls) {
          const expected = hasEnded(status) ? status : status === 'running' ? 'unknown' : 'cancelled'
          expect(callOf(after, tool_call_id)?.status).toBe(expected)
        }
      }
    })
  })

  test('an impossible event throws and changes nothing, and a possible one leaves the state before it alone', () => {
    fc.assert(
      fc.property(stories, anyEvent, (story, event) => {
        const { end } = play(story)
        const copy = structuredClone(end)
        try {
          next(end, event)
        } catch (error) {
          expect(error).toBeInstanceOf(ImpossibleEvent)
        }
        expect(end).toEqual(copy)
      }),
      RUNS,
    )
  })

  test('steps count the answers of the model and nothing else', () => {
    property(({ moments }) => {
      for (const { before, event, after } of moments) {
        const counts = event.type === 'tools_requested' || event.type === 'model_answered'
        expect(after.step - before.step).toBe(counts ? 1 : 0)
      }
    })
  })

  test('cards may be decided in any order: the state is the same', () => {
    const decisions = fc.uniqueArray(fc.record({ tool_call_id: ids, approved: fc.boolean() }), {
      selector: (decision) => decision.tool_call_id,
      minLength: 1,
      maxLength: 3,
    })
    const orders = decisions.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    )
    fc.assert(
      fc.property(orders, ([list, shuffled]) => {
        const calls = list.map(({ tool_call_id }) => ({ tool_call_id, status: 'awaiting_approval' as const }))
        const start = next({ status: 'thinking', step: 0, calls: [] }, { type: 'tools_requested', calls })
        const decideAll = (order: typeof list) =>
          order.reduce((state, decision, i) => {
            expect(state.status).toBe(i === 0 ? start.status : 'waiting_approval')
            return next(state, { type: 'approval_decided', ...decision })
          }, start)
        const end = decideAll(list)
        expect(decideAll(shuffled)).toEqual(end)
        expect(end.status).toBe(list.some((decision) => decision.approved) ? 'acting' : 'thinking')
      }),
      RUNS,
    )
  })

  test('every status of a run and of a call is reached', () => {
    const runs = new Set<string>()
    const calls = new Set<string>()
    property(({ end, moments }) => {
      for (const { after } of moments) {
        runs.add(after.status)
        for (const call of after.calls) calls.add(call.status)
      }
      runs.add(end.status)
    })
    expect([...runs].sort()).toEqual([...RunStatus.options].sort())
    expect([...calls].sort()).toEqual([...ToolCallStatus.options].sort())
  })
})
