import { say, type Sentence } from '../../kernel/sentence.ts'
import { iso } from '../../kernel/time.ts'
import type { Message } from './message.ts'
import { type Audience, clean, line, timeIn } from './wording.ts'

/** A card that still waits. */
export interface CardFacts {
  readonly approval_id: string
  /** As the card is called: the title of its tool. */
  readonly title: string
  readonly module: string
  readonly tool: string
  readonly effect: 'read' | 'write' | 'destructive' | 'unknown'
  readonly summary: string
  readonly asked_by: string
  /** Who reads this decides about a call of their own. */
  readonly mine: boolean
  /** Epoch milliseconds. */
  readonly expires_at: number
}

/** Cards that one message names; the others are counted. */
const NAMED = 10

/** Tells of cards that wait: what kind of thing, who asks, until when. Never what the conversation is about. */
export function cardMessage(
  id: string,
  cards: readonly CardFacts[],
  { language, zone, internal }: Audience,
  address: string,
): Message {
  const [only] = cards
  const one = cards.length === 1 && only !== undefined
  const link = one ? cardLink(address, only) : new URL('/approvals', address).href
  const lines = cards.slice(0, NAMED).flatMap((card) => {
    const name = card.tool === '' || card.module === '' ? card.title : `${card.title} (${card.module}.${card.tool})`
    const what = card.mine ? say`${name} waits for your decision.` : say`${card.asked_by} asks for ${name}.`
    return [
      line(what, language),
      line(say`${EFFECTS[card.effect]} It waits until ${timeIn(card.expires_at, language, zone)}.`, language),
      ...(internal && card.summary !== '' ? [clean(card.summary)] : []),
      ...(one ? [] : ['']),
    ]
  })
  if (cards.length > NAMED) lines.push(line(say`And ${cards.length - NAMED} more.`, language))
  const title = one
    ? only.mine
      ? say`Waits for you: ${only.title}`
      : say`${only.asked_by} asks for approval: ${only.title}`
    : say`${cards.length} approvals wait`
  return {
    id,
    title: line(title, language),
    lines: [
      ...lines,
      line(say`Sign in to look at it and to decide. Nothing is decided by opening the link.`, language),
    ],
    link,
    data: {
      type: 'reeve.approvals_waiting',
      approvals: cards.map((card) => ({
        approval_id: card.approval_id,
        title: clean(card.title),
        tool: `${card.module}.${card.tool}`,
        effect: card.effect,
        asked_by: clean(card.asked_by),
        expires_at: iso(card.expires_at),
        link: cardLink(address, card),
        ...(internal && { summary: clean(card.summary) }),
      })),
    },
  }
}

const EFFECTS: Record<CardFacts['effect'], Sentence> = {
  read: say`It only reads.`,
  write: say`It may change something.`,
  destructive: say`It may delete something.`,
  unknown: say`It is not known what it may do.`,
}

function cardLink(address: string, { approval_id }: CardFacts): string {
  return new URL(`/approvals/${approval_id}`, address).href
}
