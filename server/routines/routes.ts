import type { Handlers } from '../../contract/route.ts'
import type { routines as contract } from '../../contract/routines.ts'
import { newId } from '../kernel/id.ts'
import { Sentence } from '../kernel/sentence.ts'
import { iso } from '../kernel/time.ts'
import { NEXT_TIMES } from '../../contract/routine-values.ts'
import { listAllRoutines, releaseRoutine, stopRoutine } from './admin-routines.ts'
import { fireByKey } from './fire-by-key.ts'
import { addHook, listHooks, removeHook } from './hooks/hooks.ts'
import { receiveHook } from './hooks/receive.ts'
import type { RoutinesContext } from './ports.ts'
import { findRoutine, listFires, noRoutine } from './routine-rows.ts'
import { Routines } from './routines.ts'
import { readSchedule } from './schedule.ts'

/** The handlers of the routes under /api/routines, /api/hooks and /api/admin/routines. */
export function routineRoutes(context: RoutinesContext): Handlers<typeof contract> {
  const { db } = context
  const routines = new Routines(context)
  return {
    list: async ({ caller }) => ({ items: await routines.list(caller) }),
    create: async ({ caller, body }) => ({ ok: true, routine: await routines.create(caller, body) }),
    read: async ({ caller, params }) => ({ routine: await routines.read(caller, params.routine_id) }),
    update: async ({ caller, params, body }) => ({
      ok: true,
      routine: await routines.update(caller, params.routine_id, body),
    }),
    remove: async ({ caller, params: { routine_id } }) => {
      await routines.remove(caller, routine_id)
      return { ok: true, deleted: routine_id }
    },
    run: async ({ caller, params: { routine_id }, headers }) => {
      await findRoutine(db.read, caller.user_id, routine_id)
      const key = headers['idempotency-key'] ?? newId('fire')
      const fired = await fireByKey(context, { routine_id, key: `m:${key}`, cause: 'hand', facts: null, by: caller })
      if (fired === null) throw noRoutine()
      return { ok: true, ...fired }
    },
    pause: async ({ caller, params }) => ({ ok: true, routine: await routines.pause(caller, params.routine_id) }),
    resume: async ({ caller, params }) => ({ ok: true, routine: await routines.resume(caller, params.routine_id) }),
    preview: async ({ caller, body }) => {
      const now = await context.now()
      const times = readSchedule(body, now)
      if (times instanceof Sentence) return { next: [], problem: times.in(caller.language) }
      return { next: times.next(NEXT_TIMES, now).map(iso), problem: null }
    },
    week: async ({ caller }) => ({
      items: (await routines.week(caller)).map(({ routine_id, at }) => ({ routine_id, at: iso(at) })),
    }),
    fires: async ({ caller, params: { routine_id }, query }) => {
      await findRoutine(db.read, caller.user_id, routine_id)
      return listFires(db.read, routine_id, query, caller.language)
    },
    hooks: async ({ caller, params }) => ({ items: await listHooks(context, caller, params.routine_id) }),
    addHook: async ({ caller, params, body }) => ({
      ok: true,
      ...(await addHook(context, caller, params.routine_id, body)),
    }),
    removeHook: async ({ caller, params }) => {
      await removeHook(context, caller, params)
      return { ok: true, deleted: params.hook_id }
    },
    receive: async ({ params, headers, body }) => ({
      status: 202,
      body: { ok: true, outcome: await receiveHook(context, params.hook_id, headers, body) },
    }),
    listAll: ({ query }) => listAllRoutines(context, query),
    stop: async ({ caller, params }) => ({ ok: true, ...(await stopRoutine(context, caller, params.routine_id)) }),
    release: async ({ caller, params }) => {
      await releaseRoutine(context, caller, params.routine_id)
      return { ok: true }
    },
  }
}
