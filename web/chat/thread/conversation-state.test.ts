import { describe, expect, test } from 'vitest'
import type { ActivityEvent, Message } from '../../../contract/chat.ts'
import {
  conversationReducer,
  emptyConversation,
  type MessagePage,
  type ConversationState,
} from './conversation-state.ts'

const at = '2026-01-01T00:00:00.000Z'
const answer = 'Grüße 👋🏽, 世界. Ends here.'

function message(text: string | null, status: Message['status'] = 'streaming', id = 'msg_2'): Message {
  const parts = text === null ? [] : [{ index: 0, type: 'text' as const, text }]
  return {
    message_id: id,
    role: 'assistant',
    status,
    parts,
    created_at: at,
    run_id: 'run_1',
    siblings: [],
    imported: false,
  }
}
function page(...messages: Message[]): MessagePage {
  return { messages, next_before: null }
}
function delta(from: number, text: string, id = 1): ActivityEvent {
  return {
    id,
    type: 'run.delta',
    at,
    conversation_id: 'cnv_1',
    run_id: 'run_1',
    message_id: 'msg_2',
    index: 0,
    part: 'text',
    from,
    text,
  }
}
function event(type: ActivityEvent['type'], fields: object = {}): ActivityEvent {
  return { id: 9, type, at, conversation_id: 'cnv_1', run_id: 'run_1', ...fields }
}
function ready(...messages: Message[]): ConversationState {
  return conversationReducer(emptyConversation('cnv_1'), {
    type: 'loaded',
    conversationId: 'cnv_1',
    page: page(...messages),
  })
}
function play(state: ConversationState, ...events: ActivityEvent[]): ConversationState {
  return events.reduce((before, next) => conversationReducer(before, { type: 'event', event: next }), state)
}
function textOf(state: ConversationState, id = 'msg_2'): string {
  const part = state.messages.find((m) => m.message_id === id)?.parts[0]
  return part?.type === 'text' ? part.text : ''
}

describe('deltas', () => {
  test('append where they continue, and make the part where there is none', () => {
    expect(textOf(play(ready(message(null)), delta(0, 'ab'), delta(2, 'cd')))).toBe('abcd')
  })
  test('that overlap add only what is new', () => {
    const state = play(ready(message('abcd')), delta(2, 'cdef'))
    expect(textOf(state)).toBe('abcdef')
    expect(textOf(play(state, delta(0, 'abc')))).toBe('abcdef')
  })
  test('that leave a gap ask for the message and change nothing', () => {
    const state = play(ready(message('ab')), delta(5, 'x'))
    expect(textOf(state)).toBe('ab')
    expect(state.stale).toEqual(['msg_2'])
  })
  test('of an unknown message ask for the newest page', () => {
    expect(play(ready(), delta(0, 'x')).tailStale).toBe(true)
  })
  test('of another conversation are not ours', () => {
    const before = ready(message('ab'))
    expect(play(before, { ...delta(2, 'x'), conversation_id: 'cnv_2' })).toBe(before)
  })
  test('for a part of another type ask for the message', () => {
    const state = play(ready(message('ab')), { ...delta(2, 'x'), part: 'reasoning' })
    expect(state.stale).toEqual(['msg_2'])
  })
  test('after the end are ignored', () => {
    expect(textOf(play(ready(message('ab', 'complete')), delta(2, 'x')))).toBe('ab')
  })
})

test('a reload at any moment ends with the same text, wherever the snapshot was cut and however deltas repeat', () => {
  for (let cut = 0; cut <= answer.length; cut++) {
    for (const size of [1, 3, 7]) {
      const deltas: ActivityEvent[] = []
      for (let from = 0; from < answer.length; from += size) deltas.push(delta(from, answer.slice(from, from + size)))
      const loading = play(emptyConversation('cnv_1'), ...deltas.slice(0, 4))
      const loaded = conversationReducer(loading, {
        type: 'loaded',
        conversationId: 'cnv_1',
        page: page(message(answer.slice(0, cut))),
      })
      let state = play(loaded, ...deltas)
      if (state.stale.length > 0)
        state = conversationReducer(state, {
          type: 'message',
          conversationId: 'cnv_1',
          message: message(answer, 'complete'),
        })
      expect(textOf(state)).toBe(answer)
    }
  }
})

describe('a fetched message', () => {
  const fetched = (state: ConversationState, m: Message) =>
    conversationReducer(state, { type: 'message', conversationId: 'cnv_1', message: m })
  test('never takes text back while the answer streams', () => {
    expect(textOf(fetched(ready(message('abcd')), message('ab')))).toBe('abcd')
    expect(textOf(fetched(ready(message('ab')), message('abcd')))).toBe('abcd')
  })
  test('that is final is the truth', () => {
    expect(textOf(fetched(ready(message('abcd')), message('ab', 'cancelled')))).toBe('ab')
  })
  test('from before the end does not reopen what has ended', () => {
    expect(fetched(ready(message('ab', 'complete')), message('ab')).messages[0]?.status).toBe('complete')
  })
  test('keeps streamed parts that it does not know yet', () => {
    const state = play(ready(message('ab')), { ...delta(0, 'more'), index: 2 })
    expect(fetched(state, message('ab')).messages[0]?.parts.map((part) => part.index)).toEqual([0, 2])
  })
  test('of another conversation is dropped', () => {
    const state = ready(message('ab'))
    expect(conversationReducer(state, { type: 'message', conversationId: 'cnv_2', message: message('abcd') })).toBe(
      state,
    )
  })
})

describe('structure', () => {
  test('an end that arrives while loading is not lost', () => {
    const loading = play(emptyConversation('cnv_1'), event('run.completed'))
    const state = conversationReducer(loading, { type: 'loaded', conversationId: 'cnv_1', page: page(message('ab')) })
    expect(state.stale).toEqual(['msg_2'])
  })
  test('tool events fetch the message once, approval events the page', () => {
    const tools = play(
      ready(message('ab')),
      event('tool.started', { message_id: 'msg_2' }),
      event('tool.finished', { message_id: 'msg_2' }),
    )
    expect(tools.stale).toEqual(['msg_2'])
    expect(tools.tailStale).toBe(false)
    const state = play(tools, event('approval.requested'), event('run.waiting'))
    expect(state.tailStale).toBe(true)
  })
  test('a run that starts fetches the newest page; its end fetches the answer', () => {
    const started = play(ready(), event('run.started', { message_id: 'msg_1', answer_id: 'msg_2' }))
    expect(started.tailStale).toBe(true)
    expect(play(ready(message('ab')), event('run.cancelled')).stale).toEqual(['msg_2'])
  })
  test('the newest page keeps older pages where they join, and drops them where they do not', () => {
    const old = [message('1', 'complete', 'm1'), message('2', 'complete', 'm2')]
    const state = ready(...old)
    const tail = (...m: Message[]) =>
      conversationReducer(state, { type: 'tail', conversationId: 'cnv_1', page: page(...m) })
    expect(
      tail(message('2', 'complete', 'm2'), message('3', 'complete', 'm3')).messages.map((m) => m.message_id),
    ).toEqual(['m1', 'm2', 'm3'])
    expect(tail(message('9', 'complete', 'm9')).messages.map((m) => m.message_id)).toEqual(['m9'])
  })
  test('older messages come before, once', () => {
    const state = conversationReducer(ready(message('2', 'complete', 'm2')), {
      type: 'older',
      conversationId: 'cnv_1',
      messages: [message('1', 'complete', 'm1'), message('2', 'complete', 'm2')],
      nextBefore: 'm1',
    })
    expect(state.messages.map((m) => m.message_id)).toEqual(['m1', 'm2'])
    expect(state.nextBefore).toBe('m1')
  })
})

test('another branch, shown from elsewhere: the newest page is asked for, and replaces what came after the fork', () => {
  const before = ready(message('a', 'complete', 'msg_1'), message('b', 'complete', 'msg_2'))
  const switched = conversationReducer(before, {
    type: 'event',
    event: event('conversation.updated', { branch: true }),
  })
  expect(switched.tailStale).toBe(true)
  const tail = page(message('a', 'complete', 'msg_1'), message('c', 'complete', 'msg_3'))
  const after = conversationReducer(switched, { type: 'tail', conversationId: 'cnv_1', page: tail })
  expect(after.messages.map((one) => one.message_id)).toEqual(['msg_1', 'msg_3'])
})

test('a notice added to an answer that goes on is fetched, and one to an answer not known yet with the newest page', () => {
  const before = ready(message('a', 'streaming', 'msg_1'))
  const told = (message_id: string) =>
    conversationReducer(before, { type: 'event', event: event('conversation.updated', { message_id }) })
  expect(told('msg_1').stale).toEqual(['msg_1'])
  expect(told('msg_2').tailStale).toBe(true)
})
