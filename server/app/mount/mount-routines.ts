import { contract } from '../../../contract/index.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Chat } from '../../chat/chat.ts'
import type { OpenedRun } from '../../chat/run-once.ts'
import type { Database } from '../../db/database.ts'
import { databaseTime } from '../../db/database-time.ts'
import type { HttpServer } from '../../http/server.ts'
import { loadedAtFirst } from '../../kernel/loaded-at-first.ts'
import type { Log } from '../../kernel/log.ts'
import type { Tasks } from '../../kernel/tasks.ts'
import type { Vault } from '../../kernel/vault.ts'
import { type OpenedRoutines, openRoutines } from '../../routines/open-routines.ts'
import type { RoutineRuns, RoutinesContext } from '../../routines/ports.ts'
import type { WatchRoutines } from '../../watches/watch-ports.ts'

/** Milliseconds between two looks at what is due. */
const LOOK = 15_000

interface Of {
  readonly db: Database
  readonly vault: Vault
  readonly log: Log
  readonly accounts: Pick<Accounts, 'audit' | 'senders'>
  readonly chat: Chat
  readonly procedures: RoutinesContext['procedures']
  readonly tellNotice: RoutinesContext['tellNotice']
  readonly reportEnded: RoutinesContext['reportEnded']
  /** The time that schedules go by, instead of the database's (tests). */
  readonly clock: (() => number) | undefined
}

/** Work that nobody has to start. `start` mounts its routes and fires what is due. */
export async function openPlanning(of: Of): Promise<
  OpenedRoutines & {
    readonly forWatches: WatchRoutines
    start(server: Pick<HttpServer, 'mount'>, tasks: Tasks): void
  }
> {
  const { db, vault, log, accounts, chat, clock, tellNotice, reportEnded, procedures } = of
  const context: RoutinesContext = {
    db,
    vault,
    log,
    audit: accounts.audit,
    senders: accounts.senders,
    runs: routineRuns(chat),
    procedures,
    tellNotice,
    reportEnded,
    onChanged: (trx, user_id, routine_id) =>
      chat.activity.append(trx, user_id, [{ type: 'routine.changed', data: { routine_id } }]),
    now: clock === undefined ? () => databaseTime(db.read, db.dialect) : () => Promise.resolve(clock()),
  }
  const routines = await openRoutines(context)
  return {
    ...routines,
    forWatches: {
      of: async (user_id) => (await import('../../routines/for-watches.ts')).routinesOf(db.read, user_id),
      start: async (crossed) => (await import('../../routines/for-watches.ts')).fireByWatch(context, crossed),
    },
    start(server, tasks) {
      server.mount(
        contract.routines,
        loadedAtFirst(contract.routines, async () => (await import('../../routines/routes.ts')).routineRoutes(context)),
      )
      // A test that has the time also says when to look: a look of nobody's would come between two of its own.
      if (clock === undefined) tasks.every('fire routines', LOOK, routines.tick)
    },
  }
}

function routineRuns(chat: Chat): RoutineRuns<OpenedRun> {
  return {
    prepare: (owner, { message, title, engine, procedure, facts, asks, idempotency_key, run_id, bounds }) =>
      chat.prepare(owner, {
        message,
        title,
        engine,
        ...(procedure && { procedure }),
        facts: facts ?? undefined,
        asks,
        idempotency_key,
        run_id,
        bounds,
        attachment_ids: [],
        conversation_id: null,
        edits: null,
      }),
    begin: ({ run_id, opened }) => chat.runner.start(run_id, opened),
    cancel: (run_ids) => chat.stopRuns(run_ids),
    checkEngine: (owner, choice) => chat.checkEngine(owner, choice),
  }
}
