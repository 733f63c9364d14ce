import type { ActivityEvent, Message, Part, Untrusted } from '../../../contract/chat.ts'
import { isFinal } from '../message/is-final.ts'

/**
 * The messages of the conversation that is shown, and how server answers and activity events change them. Pure. What
 * other pages show too (title, active run, pending approvals) is in the query cache (web/client), not here.
 *
 * Two sources describe the same messages: fetched ones (whole, but as of the moment they were read) and events (in order,
 * but small). They are merged by one rule: text never goes backwards. What an event cannot say by itself is marked
 * (`stale`, `tailStale`) and fetched again by use-conversation.
 */
export interface ConversationState {
  readonly conversationId: string | null
  /** While `loading`, arriving events are kept in `waiting`, so that none is lost between response and stream. */
  readonly phase: 'empty' | 'loading' | 'ready' | 'failed' | 'deleted'
  /** Oldest first. */
  readonly messages: readonly Message[]
  readonly nextBefore: string | null
  /** Latest progress line of running tools, by tool_call_id. */
  readonly progress: Readonly<Record<string, string>>
  /** Messages to fetch again. */
  readonly stale: readonly string[]
  /** The newest page must be fetched again: a message appeared that is not known yet. */
  readonly tailStale: boolean
  readonly waiting: readonly ActivityEvent[]
  /** What it has read that others may have written; null if nothing. */
  readonly untrusted: Untrusted | null
  /** Who goes on with a copy, and since when: it is only read; null while it is not handed over. */
  readonly handedOver: HandedOver | null
  /** Why loading failed. */
  readonly error: unknown
}

/** `to`: what they were called; null: they are gone. */
interface HandedOver {
  readonly to: string | null
  readonly at: string
}

/** The newest page of a conversation. */
export interface MessagePage {
  readonly messages: readonly Message[]
  readonly next_before: string | null
  readonly untrusted?: Untrusted | undefined
  readonly handed_over?: HandedOver | undefined
}

export type ConversationAction =
  | { type: 'open'; conversationId: string | null }
  | { type: 'loaded'; conversationId: string; page: MessagePage }
  | { type: 'load_failed'; conversationId: string; error: unknown }
  | { type: 'gone'; conversationId: string }
  | { type: 'tail'; conversationId: string; page: MessagePage }
  | { type: 'older'; conversationId: string; messages: readonly Message[]; nextBefore: string | null }
  | { type: 'message'; conversationId: string; message: Message }
  | { type: 'fetching'; stale: readonly string[]; tail: boolean }
  | { type: 'event'; event: ActivityEvent }
  /** The stream could not resume: everything shown may be out of date. */
  | { type: 'resync' }

export function emptyConversation(conversationId: string | null): ConversationState {
  return {
    conversationId,
    phase: conversationId === null ? 'empty' : 'loading',
    messages: [],
    nextBefore: null,
    progress: {},
    stale: [],
    tailStale: false,
    waiting: [],
    untrusted: null,
    handedOver: null,
    error: null,
  }
}

export function conversationReducer(state: ConversationState, action: ConversationAction): ConversationState {
  if (action.type === 'open') return emptyConversation(action.conversationId)
  if (action.type === 'event') {
    if (action.event.conversation_id === undefined || action.event.conversation_id !== state.conversationId)
      return state
    if (state.phase === 'loading') return { ...state, waiting: [...state.waiting, action.event] }
    return state.phase === 'ready' ? applyEvent(state, action.event) : state
  }
  if (action.type === 'resync') return state.phase === 'ready' ? { ...state, tailStale: true } : state
  if (action.type === 'fetching') {
    return {
      ...state,
      stale: state.stale.filter((id) => !action.stale.includes(id)),
      tailStale: state.tailStale && !action.tail,
    }
  }
  if (action.conversationId !== state.conversationId) return state
  switch (action.type) {
    case 'loaded': {
      const ready = withTail({ ...state, phase: 'ready', waiting: [] }, action.page)
      return state.waiting.reduce(applyEvent, ready)
    }
    case 'load_failed':
      return { ...state, phase: 'failed', waiting: [], error: action.error }
    case 'gone':
      return { ...state, phase: 'deleted', waiting: [] }
    case 'tail':
      return withTail(state, action.page)
    case 'older': {
      const known = new Set(state.messages.map((message) => message.message_id))
      const older = action.messages.filter((message) => !known.has(message.message_id))
      return { ...state, messages: [...older, ...state.messages], nextBefore: action.nextBefore }
    }
    case 'message':
      return {
        ...state,
        messages: state.messages.map((local) =>
          local.message_id === action.message.message_id ? mergeMessage(local, action.message) : local,
        ),
      }
  }
}

function withTail(state: ConversationState, page: MessagePage): ConversationState {
  const fetched = new Set(page.messages.map((message) => message.message_id))
  const local = new Map(state.messages.map((message) => [message.message_id, message]))
  const merged = page.messages.map((message) => {
    const known = local.get(message.message_id)
    return known ? mergeMessage(known, message) : message
  })
  const overlap = state.messages.findIndex((message) => fetched.has(message.message_id))
  // Without overlap there may be unknown messages in between: start again from the newest page.
  const older = overlap > 0 ? state.messages.slice(0, overlap) : []
  return {
    ...state,
    messages: [...older, ...merged],
    nextBefore: older.length > 0 ? state.nextBefore : page.next_before,
    // Never taken back, so an answer that was read before it was set changes nothing.
    untrusted: page.untrusted ?? state.untrusted,
    handedOver: page.handed_over ?? state.handedOver,
  }
}

/** The fetched message, but never with less text than events have already delivered. */
function mergeMessage(local: Message, fetched: Message): Message {
  if (isFinal(fetched)) return fetched
  // A response that was read before the end but arrives after it.
  if (isFinal(local)) return local
  const byIndex = new Map(local.parts.map((part) => [part.index, part]))
  const parts = fetched.parts.map((part) => {
    const mine = byIndex.get(part.index)
    byIndex.delete(part.index)
    return mine && isLonger(mine, part) ? mine : part
  })
  for (const part of byIndex.values()) if (part.type === 'text' || part.type === 'reasoning') parts.push(part)
  return { ...fetched, parts: parts.sort((a, b) => a.index - b.index) }
}

function isLonger(mine: Part, theirs: Part): boolean {
  if (mine.type === 'text' && theirs.type === 'text') return mine.text.length > theirs.text.length
  if (mine.type === 'reasoning' && theirs.type === 'reasoning') return mine.text.length > theirs.text.length
  return false
}

function applyEvent(state: ConversationState, event: ActivityEvent): ConversationState {
  switch (event.type) {
    case 'run.delta':
      return applyDelta(state, event)
    case 'run.started':
    case 'run.waiting':
    case 'approval.requested':
    case 'approval.decided':
    case 'approval.voted':
      return { ...state, tailStale: true }
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
    case 'run.interrupted':
      return staleRun(state, event)
    case 'tool.progress': {
      const { tool_call_id: id, progress } = event
      if (typeof id !== 'string' || typeof progress !== 'string') return state
      return { ...state, progress: { ...state.progress, [id]: progress } }
    }
    case 'tool.started':
    case 'tool.finished':
      return stale(state, event.message_id)
    case 'conversation.updated':
      if (event.branch === true || event.untrusted === true || event.handed_over === true)
        return { ...state, tailStale: true }
      // A notice was added to an answer that goes on.
      return typeof event.message_id === 'string' ? stale(state, event.message_id) : state
    case 'conversation.deleted':
      return { ...state, phase: 'deleted' }
    default:
      return state
  }
}

function applyDelta(state: ConversationState, event: ActivityEvent): ConversationState {
  const { message_id: id, index, part: type, from, text } = event
  if (typeof id !== 'string' || typeof index !== 'number' || typeof from !== 'number' || typeof text !== 'string')
    return state
  if (type !== 'text' && type !== 'reasoning') return state
  const at = state.messages.findIndex((message) => message.message_id === id)
  const message = state.messages[at]
  if (!message) return { ...state, tailStale: true }
  // A replayed delta of a finished answer adds nothing.
  if (isFinal(message)) return state
  const known = message.parts.find((part) => part.index === index)
  if (known && known.type !== type) return stale(state, id)
  const before = known?.text ?? ''
  if (from > before.length) return stale(state, id)
  const added = text.slice(before.length - from)
  if (added === '' && known) return state
  const part: Part = { index, type, text: before + added }
  const parts = known
    ? message.parts.map((other) => (other === known ? part : other))
    : [...message.parts, part].sort((a, b) => a.index - b.index)
  return { ...state, messages: state.messages.with(at, { ...message, parts }) }
}

function stale(state: ConversationState, id: unknown): ConversationState {
  if (typeof id !== 'string' || state.stale.includes(id)) return state
  if (!state.messages.some((message) => message.message_id === id)) return { ...state, tailStale: true }
  return { ...state, stale: [...state.stale, id] }
}

/** Marks the answer of the event's run or, when it is not known yet, the newest page. */
function staleRun(state: ConversationState, event: ActivityEvent): ConversationState {
  const answer = state.messages.findLast((message) => message.role === 'assistant' && message.run_id === event.run_id)
  return answer ? stale(state, answer.message_id) : { ...state, tailStale: true }
}
