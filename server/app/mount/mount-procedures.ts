import { contract } from '../../../contract/index.ts'
import type { Accounts, AccountsOptions } from '../../accounts/accounts.ts'
import type { Chat } from '../../chat/chat.ts'
import type { Activity } from '../../chat/history/activity.ts'
import type { HostList } from '../../chat/ports/hosts.ts'
import type { Policy } from '../../chat/ports/policy.ts'
import type { Procedures } from '../../chat/ports/procedures.ts'
import type { Tools } from '../../chat/ports/tools.ts'
import type { Database } from '../../db/database.ts'
import type { HttpServer } from '../../http/server.ts'
import { loadedAtFirst } from '../../kernel/loaded-at-first.ts'
import { quoted, say } from '../../kernel/sentence.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import type { RoutineProcedures } from '../../routines/ports.ts'
import { conditionJudge } from '../unattended/condition-judge.ts'
import { reviewingRoles, tellProcedureChange } from '../unattended/tell-procedure-change.ts'

/** Chat's port to procedures; nothing of them is loaded before the first run of one. */
export function proceduresPort(hosts: Pick<HostList, 'known'>): Procedures {
  return {
    plan: async (reader, run) =>
      (await import('../../procedures/plan.ts')).planOf(reader, run, { judge: conditionJudge, hosts }),
  }
}

/** What routines ask of the procedures that they run, of the rights that their owner has now. */
export function proceduresOfRoutines({ plan }: Procedures, policy: Pick<Policy, 'forUser'>): RoutineProcedures {
  return {
    async check(reader, user_id, procedure) {
      const verdict = (await policy.forUser(user_id, null, 'routine'))?.procedure(procedure.procedure_id)
      if (verdict === undefined) return say`You no longer have permission to run this.`
      if (verdict.effect === 'deny') return quoted(verdict.reason)
      return (await plan(reader, procedure)).problem
    },
    title: async (reader, procedure) => (await plan(reader, procedure)).name,
  }
}

/** What accounts ask of a procedure when they explain who may run it. */
export function explainedBy(db: Database, hosts: () => Pick<HostList, 'known'>): AccountsOptions['procedure'] {
  return async (procedure_id, values) =>
    (await import('../../procedures/explained.ts')).explainedProcedure(db.read, procedure_id, values, {
      judge: conditionJudge,
      hosts: hosts(),
    })
}

export async function eraseProcedures(db: Database, user_id: string): Promise<void> {
  await (await import('../../procedures/erase-procedures.ts')).eraseProcedures(db, user_id)
}

/** Mounts the routes of procedures: writing, reviewing and running them. */
export function mountProcedures(
  server: Pick<HttpServer, 'mount'>,
  of: {
    readonly db: Database
    readonly activity: Activity
    readonly accounts: Pick<Accounts, 'audit'>
    /** With what is switched off for everyone denied. */
    readonly policy: Pick<Policy, 'forUser'>
    readonly tools: Pick<Tools, 'find' | 'wording'>
    readonly hosts: Pick<HostList, 'known'>
    readonly chat: Pick<Chat, 'send'>
    readonly notifications: Pick<Notifications, 'tell' | 'end'>
  },
): void {
  const { db, activity, accounts, policy, tools, hosts, chat, notifications } = of
  server.mount(
    contract.procedures,
    loadedAtFirst(contract.procedures, async () =>
      (await import('../../procedures/routes.ts')).procedureRoutes({
        db,
        tools,
        hosts,
        policy,
        audit: accounts.audit,
        judge: conditionJudge,
        tellNotice: notifications.tell,
        endNotice: notifications.end,
        reviewingRoles: () => reviewingRoles(db),
        onChanged: tellProcedureChange(activity),
        async send(caller, request) {
          const sent = await chat.send(
            caller,
            { ...request, attachment_ids: [], conversation_id: null, edits: null, engine: undefined },
            false,
          )
          if (sent.status !== 202) throw new Error('A run that nobody waits for is accepted at once.')
          return sent.body
        },
      }),
    ),
  )
}
