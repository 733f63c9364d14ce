import type { z } from 'zod'
import type { GrantWanted } from '../../../contract/grants.ts'
import type { AnswerContent, Approval, ApprovalDecision, ApprovalStatus } from '../../../contract/chat.ts'
import type { Caller } from '../../../contract/route.ts'
import type { Trx } from '../../db/database.ts'
import type { ApprovalTable } from '../../db/rows/chat-tables.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { canonicalJson } from '../../kernel/text/canonical.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import type { NewEvent } from '../history/activity.ts'
import { answerOf } from './answer-of.ts'
import { closeQuestion } from './close-question.ts'
import { eachOnItsOwn } from '../run/each-on-its-own.ts'
import { ownerLanguage } from '../run/owner-language.ts'
import { Grants } from '../grants/grants.ts'
import { giveGrant, givePermissions } from '../grants/give-grant.ts'
import { type Taken, takenOffer } from '../grants/offers.ts'
import { type Card, cards } from '../history/cards.ts'
import { runNotice } from '../history/run-notices.ts'
import type { RunContext } from '../run/run-context.ts'
import type { Change } from '../run/run-store.ts'
import { type Reading, toApproval } from '../history/tool-call-view.ts'
import { NOBODY_ELSE, othersTold } from '../run/others-told.ts'
import { type Ballot, castVote, othersDecide } from './cast-vote.ts'
import { aboutCard, type Closing, EXPIRED, readCard as read } from './closing.ts'

/** Cards closed at once: one that waits for something must not hold up the others. */
const EXPIRED_AT_ONCE = 8

type Decision = z.infer<typeof ApprovalDecision>

/** A person's decision on a card. */
export interface Ruling {
  readonly decision: Decision
  readonly reason: string | null
  /** Values for a question. */
  readonly content: AnswerContent | undefined
  /** What is allowed beyond the call. */
  readonly grant?: GrantWanted | undefined
}

/**
 * Approval cards: rows that wait for a person. Deciding is a single compare-and-set; whoever comes second gets the
 * first decision back if theirs is the same, and an error if it differs.
 */
export class Approvals {
  readonly #context: RunContext
  readonly grants: Grants

  constructor(context: RunContext) {
    this.#context = context
    this.grants = new Grants(context)
  }

  async list(
    user_id: string,
    query: { status?: z.infer<typeof ApprovalStatus> | undefined; limit: number; cursor?: string | undefined },
    reading: Reading,
  ) {
    let select = cards(this.#context.db.read)
      .where('approval.user_id', '=', user_id)
      .orderBy('approval_id', 'desc')
      .limit(query.limit + 1)
    if (query.status) select = select.where('status', '=', query.status)
    if (query.cursor !== undefined) select = select.where('approval_id', '<', query.cursor)
    const rows = await select.execute()
    const kept = rows.slice(0, query.limit)
    const items = kept.map((row) => toApproval(row, reading))
    return { items, next_cursor: rows.length > query.limit ? kept.at(-1)!.approval_id : null }
  }

  /** Pending cards of a conversation, oldest first. */
  async pending(conversation_id: string, reading: Reading): Promise<z.infer<typeof Approval>[]> {
    const rows = await cards(this.#context.db.read)
      .where('conversation_id', '=', conversation_id)
      .where('status', '=', 'pending')
      .orderBy('approval_id')
      .execute()
    return rows.map((row) => toApproval(row, reading))
  }

  /**
   * Records the decision and returns the card. Repeating the same decision changes nothing; a card whose time is up
   * comes back as `expired`, whatever was decided.
   * @throws {AppError} not_found, already_decided, approval_closed, grant_not_offered, invalid_request (values that do not answer the
   * question)
   */
  async decide(caller: Caller, approval_id: string, { decision, reason, content, grant }: Ruling): Promise<Card> {
    const { db } = this.#context
    // Only a signed-in person decides: a script with a token may make requests but not approve them.
    if (caller.kind !== 'session') {
      throw new AppError('forbidden', say`Approvals are decided by a signed-in person, not with an access token.`)
    }
    const known = await db.read
      .selectFrom('approval')
      .select(['run_id', 'needs'])
      .where('approval_id', '=', approval_id)
      .where('user_id', '=', caller.user_id)
      .executeTakeFirst()
    if (!known) throw new AppError('not_found', say`There is no such approval.`)
    if (known.needs !== NOBODY_ELSE && decision !== 'deny') throw othersDecide()
    const { before, row } = await db.transaction(async (trx) => {
      await db.dialect.serialize(trx, `run:${known.run_id}`)
      const current = await read(trx, approval_id)
      if (current.status !== 'pending') return { before: current, row: current }
      if (current.expires_at <= Date.now()) {
        await this.#close(trx, current, EXPIRED)
        return { before: current, row: await read(trx, approval_id) }
      }
      const status = decision === 'deny' ? 'denied' : 'approved'
      const given = answerOf(current, decision, content)
      const taken = takenOffer(current, decision, grant)
      await this.#close(trx, current, { status, actor: caller, decision, reason, content: given, taken })
      return { before: current, row: await read(trx, approval_id) }
    })
    if (row.status === 'expired') return row
    if (before.status === 'cancelled' || before.status === 'superseded') {
      throw new AppError('approval_closed', say`This approval is closed: there is nothing left to decide.`)
    }
    const otherAnswer = row.kind === 'question' && content !== undefined && row.arguments !== canonicalJson(content)
    const otherGrant = decision === 'approve' && row.granted !== (grant === undefined ? null : canonicalJson(grant))
    if (row.decision !== decision || otherAnswer || otherGrant) {
      throw new AppError(
        'already_decided',
        row.status === 'denied' ? say`This approval was already denied.` : say`This approval was already given.`,
      )
    }
    return row
  }

  /** Records a vote of somebody else than who asks. @throws {AppError} as `castVote` does */
  vote(caller: Caller, approval_id: string, ballot: Ballot): Promise<ApprovalTable> {
    return castVote(this.#context, (trx, card, by) => this.#close(trx, card, by), caller, approval_id, ballot)
  }

  /** How many cards of a run still wait. */
  async pendingOf(run_id: string): Promise<number> {
    const rows = await this.#context.db.read
      .selectFrom('approval')
      .select('approval_id')
      .where('run_id', '=', run_id)
      .where('status', '=', 'pending')
      .execute()
    return rows.length
  }

  /**
   * Closes expired cards and returns the runs that may continue. A run with a question continues where it waits; one that
   * somebody else has locked is left to the next time.
   */
  async expire(now = Date.now()): Promise<string[]> {
    const { db, log } = this.#context
    const due = await db.read
      .selectFrom('approval')
      .select(['approval_id', 'run_id', 'kind'])
      .where('status', '=', 'pending')
      .where('expires_at', '<=', now)
      .limit(100)
      .execute()
    const closed: string[] = []
    await eachOnItsOwn(due, EXPIRED_AT_ONCE, async ({ approval_id, run_id, kind }) => {
      try {
        if ((await this.#expire(approval_id, run_id)) && kind !== 'question') closed.push(run_id)
      } catch (error) {
        log.error({ err: error, approval_id }, 'expired card not closed')
      }
    })
    return closed
  }

  async #expire(approval_id: string, run_id: string): Promise<boolean> {
    const { db } = this.#context
    return db.transaction(async (trx) => {
      if (!(await db.dialect.trySerialize(trx, `run:${run_id}`))) return false
      const current = await read(trx, approval_id)
      if (current.status === 'pending') await this.#close(trx, current, EXPIRED)
      return true
    })
  }

  async #close(trx: Trx, card: ApprovalTable, by: Closing): Promise<void> {
    const { store, ports } = this.#context
    if (card.kind === 'question') {
      await closeQuestion(this.#context, trx, card, { ...by, content: canonicalJson(by.content) })
      return
    }
    const reason = by.reason === null ? null : storable(by.reason)
    await trx
      .updateTable('approval')
      .set({
        status: by.status,
        decision: by.decision,
        decided_at: Date.now(),
        decided_by: by.actor?.username ?? null,
        decision_reason: reason,
        granted: by.taken && canonicalJson(wantedOf(by.taken)),
      })
      .where('approval_id', '=', card.approval_id)
      .where('status', '=', 'pending')
      .execute()
    if (by.decision === 'approve_for_conversation' && card.kind === 'run')
      await givePermissions(trx, card, permissionsOf(card))
    const granted = by.taken === null ? {} : await giveGrant(trx, card, by.taken)
    const approved = by.status === 'approved'
    const owner = by.actor?.user_id === card.user_id ? by.actor : null
    const language = owner?.language ?? (await ownerLanguage(trx, card.user_id))
    const change: Change = {
      event: { type: 'approval_decided', tool_call_id: card.tool_call_id, approved },
      ...(approved ? {} : { result_text: refusal(by.status, reason).in(language) }),
      ...(!approved && card.tool_call_id === null ? { notice: runNotice('run_not_approved') } : {}),
    }
    await store.apply(trx, card.run_id, change, async (run): Promise<NewEvent[]> => {
      await ports.audit.record(trx, {
        actor: by.actor,
        action: `approval.${by.status}`,
        target: card.approval_id,
        outcome: approved ? 'ok' : 'refused',
        details: {
          decision: by.decision,
          ...(card.kind === 'run' ? { permissions: permissionsOf(card) } : { tool: `${card.module}.${card.tool}` }),
          ...(await aboutCard(trx, card)),
          run_id: card.run_id,
          arguments_hash: card.arguments_hash,
          definition_hash: card.definition_hash,
          ...granted,
          ...(reason === null ? {} : { reason }),
        },
      })
      const data = { approval_id: card.approval_id, status: by.status, message_id: run.row.output_message_id }
      const { conversation_id, run_id } = card
      return [{ type: 'approval.decided', conversation_id, run_id, data, ...(await othersTold(trx, card)) }]
    })
  }
}

function wantedOf({ offer, uses, minutes }: Taken): GrantWanted {
  return { offer_id: offer.offer_id, uses, minutes }
}

function permissionsOf(card: ApprovalTable): string[] {
  return (JSON.parse(card.arguments) as { permissions: string[] }).permissions
}

function refusal(status: 'approved' | 'denied' | 'expired', reason: string | null): Sentence {
  if (status === 'expired') return say`No one decided on this call in time, so it was not run.`
  return reason ? say`The person denied this call and says: ${reason}` : say`The person denied this call.`
}
