import type { Approval, CallTarget, Preview, Question, ToolCall, Verification } from '../../../contract/chat.ts'
import type { CallRepair } from '../../../contract/messages.ts'
import type { GrantOffer, GrantWanted, Loosened, Untrusted } from '../../../contract/grants.ts'
import type { ToolCallTable } from '../../db/rows/chat-tables.ts'
import { cut, visible } from '../../kernel/text/plain-text.ts'
import { iso, isoOrNull } from '../../kernel/time.ts'
import { addressesOf, type Tools } from '../ports/tools.ts'
import { decisionsOf, shownOffers } from './card-offers.ts'
import type { Card } from './cards.ts'
import { usualArguments } from './usual-arguments.ts'

const PREVIEW = 2000

/** Who reads: the language, and what modules say about their tools in it. */
export interface Reading {
  readonly language: string
  readonly tools: Pick<Tools, 'find' | 'wording'>
}

/** A tool call as a person sees it. */
export function toToolCall(row: ToolCallTable, { language, tools }: Reading): ToolCall {
  const given = shownArguments(row.arguments)
  return {
    tool_call_id: row.tool_call_id,
    module: row.module,
    tool: row.tool,
    title: tools.wording(row.module, language).text(row.title),
    ...iconOf(row, tools),
    effect: row.effect,
    status: row.status,
    duration_ms: row.started_at === null || row.ended_at === null ? null : row.ended_at - row.started_at,
    arguments: given,
    ...(row.main_argument !== null && { main_argument: row.main_argument }),
    ...(row.repaired !== null && { repaired: JSON.parse(row.repaired) as CallRepair[] }),
    ...usualArguments(tools.find(row.module, row.tool), given),
    result_preview: row.result_text === null ? null : cut(row.result_text, PREVIEW),
    ...(row.targets === null ? {} : { targets: JSON.parse(row.targets) as CallTarget[] }),
    ...(row.verified === null ? {} : { verified: JSON.parse(row.verified) as Verification }),
  }
}

/** An approval as a person sees it: what would run, in full, with nothing hidden in it. */
export function toApproval(row: Card, reading: Reading): Approval {
  const { language, tools } = reading
  const given = shownArguments(row.arguments)
  const voting = row.voting === null ? {} : (JSON.parse(row.voting) as Pick<Approval, 'needs' | 'votes'>)
  return {
    approval_id: row.approval_id,
    kind: row.kind,
    conversation_id: row.conversation_id,
    run_id: row.run_id,
    status: row.status,
    module: row.module,
    tool: row.tool,
    title: tools.wording(row.module, language).text(row.title),
    ...iconOf(row, tools),
    effect: row.effect,
    arguments: given,
    ...(row.main_argument !== null && { main_argument: row.main_argument }),
    ...(row.repaired !== null && { repaired: JSON.parse(row.repaired) as CallRepair[] }),
    ...(row.kind === 'call' ? usualArguments(tools.find(row.module, row.tool), given) : {}),
    question: row.question === null ? null : (JSON.parse(row.question) as Question),
    summary: summaryOf(row, reading),
    ...claimOf(row, reading),
    reason: row.reason,
    requested_at: iso(row.requested_at),
    expires_at: iso(row.expires_at),
    decisions: decisionsOf(row),
    decided_at: isoOrNull(row.decided_at),
    decided_by: row.decided_by,
    decided_by_name: deciderName(row, voting) ?? row.decided_by,
    decision_reason: row.decision_reason,
    ...(row.offers === '[]' ? {} : { offers: shown(shownOffers(row)) as GrantOffer[] }),
    ...(row.granted === null ? {} : { granted: JSON.parse(row.granted) as GrantWanted }),
    ...(row.untrusted === null ? {} : { untrusted: JSON.parse(row.untrusted) as Untrusted }),
    ...(row.targets === null ? {} : { targets: JSON.parse(row.targets) as CallTarget[] }),
    ...(row.preview === null ? {} : { preview: JSON.parse(row.preview) as Preview }),
    ...voting,
  }
}

function iconOf({ module, tool }: { module: string; tool: string }, tools: Reading['tools']): Pick<ToolCall, 'icon'> {
  const icons = tools.find(module, tool)?.icons
  return icons === undefined ? {} : { icon: addressesOf(icons) }
}

/** The name that the owner has now; of others, the one that they had when they voted. */
function deciderName(
  { decided_by, owner_username, owner_name }: Card,
  { votes = [] }: Pick<Approval, 'votes'>,
): string | null | undefined {
  return decided_by === owner_username ? owner_name : votes.find(({ username }) => username === decided_by)?.name
}

/** Stored in English; told again in the reader's language while the tool would still say the same. */
function summaryOf({ kind, module, tool, summary, arguments: given }: Card, { language, tools }: Reading): string {
  const found = kind === 'call' ? tools.find(module, tool) : undefined
  if (found === undefined) return summary
  const input = JSON.parse(given) as Record<string, unknown>
  return found.summarize(input) === summary ? found.summarize(input, tools.wording(module, language)) : summary
}

/** Not stored: the words of another definition of the tool were not on this card. */
function claimOf(
  { kind, module, tool, definition_hash, arguments: given }: Card,
  { language, tools }: Reading,
): Pick<Approval, 'claim'> {
  const found = kind === 'call' ? tools.find(module, tool) : undefined
  if (found?.claim === undefined || found.definition_hash !== definition_hash) return {}
  const claim = found.claim(JSON.parse(given) as Record<string, unknown>, tools.wording(module, language))
  return claim === '' ? {} : { claim }
}

/** Names of arguments are the module's, and values the engine's: with nothing hidden in them. */
export function shownLoosened(loosened: Loosened): Loosened {
  return shown(loosened) as Loosened
}

export function shownArguments(json: string): Record<string, unknown> {
  return shown(JSON.parse(json)) as Record<string, unknown>
}

function shown(value: unknown): unknown {
  if (typeof value === 'string') return visible(value)
  if (Array.isArray(value)) return value.map(shown)
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [visible(key), shown(item)]))
  }
  return value
}
