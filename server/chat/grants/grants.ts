import type { Grant } from '../../../contract/grants.ts'
import type { Caller } from '../../../contract/route.ts'
import type { Reader } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { iso, isoOrNull } from '../../kernel/time.ts'
import { type Reading, shownArguments, shownLoosened } from '../history/tool-call-view.ts'
import { usualArguments } from '../history/usual-arguments.ts'
import type { Pattern } from '../ports/policy.ts'
import type { RunContext } from '../run/run-context.ts'
import { isDangerous } from './offers.ts'
import { isAsleep } from './use-grants.ts'

/** More than anyone has in force at once. */
const SHOWN = 500

/** Approvals that count for later calls: their owner sees them and ends them. */
export class Grants {
  readonly #context: Pick<RunContext, 'db' | 'activity' | 'ports'>

  constructor(context: Pick<RunContext, 'db' | 'activity' | 'ports'>) {
    this.#context = context
  }

  /** Those in force, newest first. */
  async list(user_id: string, { language, tools }: Reading): Promise<Grant[]> {
    const rows = await inForce(this.#context.db.read, user_id, Date.now())
    return rows.map((row) => {
      const given = row.kind === 'permission' ? {} : shownArguments(row.arguments)
      return {
        grant_id: row.grant_id,
        kind: row.kind,
        conversation_id: row.conversation_id,
        conversation_title: row.conversation_title,
        approval_id: row.approval_id,
        module: row.module,
        tool: row.tool,
        title: tools.wording(row.module, language).text(row.title),
        arguments: given,
        ...(row.main_argument !== null && { main_argument: row.main_argument }),
        ...usualArguments(tools.find(row.module, row.tool), given),
        loosened: row.spec === null ? null : shownLoosened((JSON.parse(row.spec) as Pattern).loosened),
        uses: row.uses,
        uses_left: row.uses_left,
        expires_at: isoOrNull(row.expires_at),
        asleep: row.kind === 'pattern' && row.untrusted_at !== null && (isDangerous(row) || isAsleep(row)),
        created_at: iso(row.created_at),
      }
    })
  }

  /** Ends one; ending it again changes nothing. @throws {AppError} not_found */
  async revoke(caller: Caller, grant_id: string): Promise<void> {
    const { db, activity, ports } = this.#context
    await db.transaction(async (trx) => {
      const grant = await trx
        .updateTable('approval_grant')
        .set((row) => ({ revoked_at: row.fn.coalesce('revoked_at', row.val(Date.now())) }))
        .where('grant_id', '=', grant_id)
        .where('user_id', '=', caller.user_id)
        .returningAll()
        .executeTakeFirst()
      if (!grant) throw new AppError('not_found', say`There is no such approval.`)
      const { kind, module, tool, approval_id, conversation_id, uses_left } = grant
      await ports.audit.record(trx, {
        actor: caller,
        action: 'grant.revoked',
        target: grant_id,
        outcome: 'ok',
        details: {
          ...(kind === 'permission' ? { permissions: [tool] } : { tool: `${module}.${tool}` }),
          kind,
          approval_id,
          conversation_id,
          ...(uses_left === null ? {} : { uses_left }),
        },
      })
      const data = { approval_id, status: 'approved', grant: 'revoked' }
      await activity.append(trx, caller.user_id, [{ type: 'approval.decided', conversation_id, data }])
    })
  }
}

function inForce(reader: Reader, user_id: string, now: number) {
  return reader
    .selectFrom('approval_grant')
    .innerJoin('approval', 'approval.approval_id', 'approval_grant.approval_id')
    .innerJoin('conversation', 'conversation.conversation_id', 'approval_grant.conversation_id')
    .selectAll('approval_grant')
    .select(['approval.title', 'approval.arguments', 'approval.main_argument', 'approval.effect'])
    .select(['approval.untrusted as card_untrusted', 'conversation.title as conversation_title', 'untrusted_at'])
    .where('approval_grant.user_id', '=', user_id)
    .where('conversation.deleted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where((row) => row.or([row('approval_grant.expires_at', 'is', null), row('approval_grant.expires_at', '>', now)]))
    .where((row) => row.or([row('uses_left', 'is', null), row('uses_left', '>', 0)]))
    .orderBy('grant_id', 'desc')
    .limit(SHOWN)
    .execute()
}
