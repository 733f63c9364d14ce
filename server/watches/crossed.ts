import type { Database, Reader } from '../db/database.ts'

/** A watch of all administrators that is crossed now. */
export interface CrossedWatch {
  readonly watch_id: string
  readonly name: string
  readonly preset: string | null
  /** Ids and names of the machines; those of the installation itself have no name. */
  readonly machines: readonly { readonly host_id: string; readonly name: string }[]
}

const MOST = 200

/** Watches of all administrators that are crossed now, for the dashboard. */
export async function crossedShared({ read }: Pick<Database, 'read'>): Promise<CrossedWatch[]> {
  const rows = await read
    .selectFrom('watch_state')
    .innerJoin('watch', 'watch.watch_id', 'watch_state.watch_id')
    .select(['watch.watch_id', 'watch.name', 'watch.preset', 'machine', 'subject_key'])
    .where('user_id', 'is', null)
    .where('enabled', '=', 1)
    .where('phase', '=', 'crossed')
    .orderBy('watch_state.watch_id')
    .orderBy('machine')
    .limit(MOST)
    .execute()
  return [...Map.groupBy(rows, ({ watch_id }) => watch_id)].map(([watch_id, states]) => ({
    watch_id,
    name: states[0]!.name,
    preset: states[0]!.preset,
    machines: states.map(({ subject_key, machine }) => ({ host_id: subject_key.split(' ')[0]!, name: machine })),
  }))
}

/** Whether a watch is on and sees anything beyond its bound: who was to be told of what is over need not be. */
export async function isCrossed(reader: Reader, watch_id: string): Promise<boolean> {
  const row = await reader
    .selectFrom('watch_state')
    .innerJoin('watch', 'watch.watch_id', 'watch_state.watch_id')
    .select('watch.watch_id')
    .where('watch.watch_id', '=', watch_id)
    .where('enabled', '=', 1)
    .where('phase', '=', 'crossed')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
