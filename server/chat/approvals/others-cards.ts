import { sql } from 'kysely'
import type { z } from 'zod'
import type { ApprovalStatus, OthersApproval } from '../../../contract/chat.ts'
import type { Caller } from '../../../contract/route.ts'
import type { Reader } from '../../db/database.ts'
import { ownRoleOf } from '../../db/votes/voters.ts'
import { elevationsWaiting } from '../../db/votes/votes.ts'
import { offersWaiting } from '../handover/handover-rows.ts'
import { cards } from '../history/cards.ts'
import { type Reading, toApproval } from '../history/tool-call-view.ts'

interface Page {
  readonly status?: z.infer<typeof ApprovalStatus> | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Cards of others: those that the caller may vote on now, and those that the caller has voted on. Newest first. */
export async function listForOthers(reader: Reader, caller: Caller, page: Page, reading: Reading) {
  const own = ownRoleOf(caller)
  // As text, so that the index of such cards fits; ids have no characters that mean something in a pattern.
  const open = reader
    .selectFrom('approval as open')
    .select('open.approval_id')
    .where(sql<boolean>`open.needs <> '[]' and open.status = 'pending'`)
    .where('open.needs', 'like', `%"${own}"%`)
    .where('open.expires_at', '>', Date.now())
  const voted = reader.selectFrom('vote').select('subject_id as approval_id').where('user_id', '=', caller.user_id)
  const rows = await othersCards(reader, caller)
    .where('approval.approval_id', 'in', page.status === 'pending' ? open : open.union(voted))
    .$if(page.status !== undefined, (some) => some.where('approval.status', '=', page.status!))
    .$if(page.cursor !== undefined, (some) => some.where('approval.approval_id', '<', page.cursor!))
    .orderBy('approval.approval_id', 'desc')
    .limit(page.limit + 1)
    .execute()
  const kept = rows.slice(0, page.limit)
  return {
    items: kept.map((row) => toOthers(row, reading)),
    next_cursor: rows.length > page.limit ? kept.at(-1)!.approval_id : null,
    elevations: await elevationsWaiting(reader, caller.user_id, own),
    handovers: await offersWaiting(reader, caller.user_id),
  }
}

/** One such card, as the caller sees it. */
export async function othersCard(reader: Reader, caller: Caller, approval_id: string, reading: Reading) {
  const row = await othersCards(reader, caller)
    .where('approval.approval_id', '=', approval_id)
    .executeTakeFirstOrThrow()
  return toOthers(row, reading)
}

function othersCards(reader: Reader, { user_id }: Caller) {
  return cards(reader)
    .leftJoin('role', 'role.role_id', 'user.role_id')
    .leftJoin('vote', (join) =>
      join.onRef('vote.subject_id', '=', 'approval.approval_id').on('vote.user_id', '=', user_id),
    )
    .select(['role.name as owner_role', 'vote.decision as my_vote'])
    .where('approval.user_id', '!=', user_id)
}

type Row = Awaited<ReturnType<ReturnType<typeof othersCards>['executeTakeFirstOrThrow']>>

function toOthers(row: Row, reading: Reading): OthersApproval {
  const { conversation_id: _conversation, run_id: _run, ...card } = toApproval(row, reading)
  const may =
    row.status !== 'pending' ? [] : row.my_vote === null ? (['approve', 'deny'] as const) : (['deny'] as const)
  return {
    ...card,
    decisions: [...may],
    asked_by: {
      username: row.owner_username ?? '',
      name: row.owner_name ?? row.owner_username ?? '',
      role: row.owner_role ?? '',
    },
    my_vote: row.my_vote,
  }
}
