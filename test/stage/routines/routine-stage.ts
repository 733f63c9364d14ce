import { contract } from '../../../contract/index.ts'
import type { Routine, RoutineFire } from '../../../contract/routine-values.ts'
import type { TestApp } from '../app.ts'
import type { TestClient } from '../client.ts'
import { until } from '../wait.ts'

/** A clock that goes on only when a test says so. */
export interface StoppedClock {
  (): number
  to(iso: string): void
  by(ms: number): void
}

export function stoppedClock(iso: string): StoppedClock {
  let now = Date.parse(iso)
  return Object.assign(() => now, {
    to: (next: string) => void (now = Date.parse(next)),
    by: (ms: number) => void (now += ms),
  })
}

export async function createRoutine(
  client: TestClient,
  body: {
    name: string
    text: string
    cron: string | null
    zone?: string
    scope?: string[]
    report?: boolean
    overlap?: Routine['overlap']
    catch_up_s?: number
    run_limit_s?: number
    token_budget?: number | null
    call_budget?: number | null
    card_life_s?: number
  },
): Promise<Routine> {
  const { name, text, cron, zone = 'UTC', scope = ['tool:system.*'], ...limits } = body
  const { routine } = await client.call(contract.routines.create, {
    body: {
      name,
      work: { kind: 'text', text, engine: null },
      scope,
      schedule: cron === null ? null : { cron, zone },
      ...limits,
    },
  })
  return routine
}

export async function readRoutine(client: TestClient, routine_id: string): Promise<Routine> {
  return (await client.call(contract.routines.read, { params: { routine_id } })).routine
}

/** Its history, oldest first. */
export async function firesOf(client: TestClient, routine_id: string): Promise<RoutineFire[]> {
  const { items } = await client.call(contract.routines.fires, { params: { routine_id }, query: { limit: 200 } })
  return items.toReversed()
}

/** Has the service look for what is due, as it does every 15 seconds; that there is a routine has reached it by then. */
export async function tick({ app }: TestApp): Promise<void> {
  await app.db.revisions.look()
  await app.unattended.tick(new AbortController().signal)
}

/** Looks until the newest entry of the history has ended as wanted. */
export async function ended(app: TestApp, client: TestClient, routine_id: string): Promise<RoutineFire> {
  const fire = await until(
    async () => {
      const last = (await firesOf(client, routine_id)).at(-1)
      const open = ['thinking', 'acting', 'waiting_approval']
      return last?.run != null && !open.includes(last.run.status) ? last : undefined
    },
    { what: 'its run has ended' },
  )
  await tick(app)
  return fire
}
