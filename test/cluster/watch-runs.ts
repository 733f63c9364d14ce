import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { History } from './history.ts'

/** Leases last 30 s; five more for taking over, and fifteen for what an answer of the script takes at its slowest. */
const LIMIT_MS = 30_000 + 5000 + 15_000

interface Row {
  run_id: string
  epoch: number
  lease_owner: string | null
}

/** Looks every second whether runs go on: no run may be in the same hands, unfinished, for longer than a lease and its work. */
export async function watchRuns(databaseUrl: string, history: History, signal: AbortSignal): Promise<void> {
  const since = new Map<string, { hands: string; at: number; told: boolean }>()
  while (!signal.aborted) {
    const rows = await query<Row>(
      databaseUrl,
      `select run_id, epoch, lease_owner from run where status in ('thinking', 'acting')`,
    ).catch(() => null)
    const now = history.now()
    // While the database itself is away, nobody can take anything over.
    if (rows === null) since.clear()
    for (const run_id of since.keys()) if (rows?.every((row) => row.run_id !== run_id) === true) since.delete(run_id)
    for (const { run_id, epoch, lease_owner } of rows ?? []) {
      const hands = `${lease_owner} ${epoch}`
      const before = since.get(run_id)
      if (before?.hands !== hands) since.set(run_id, { hands, at: now, told: false })
      else if (!before.told && now - before.at > LIMIT_MS) {
        before.told = true
        history.violation('runs are taken over', `${run_id} is in the hands of ${hands} since ${now - before.at} ms`)
      }
    }
    await sleep(1000, undefined, { signal }).catch(() => undefined)
  }
}

/** A statement on a connection of its own. */
export async function query<T extends object>(url: string, sql: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5000,
    application_name: 'cluster test',
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query<T>(sql, values)).rows
  } finally {
    await client.end().catch(() => undefined)
  }
}
