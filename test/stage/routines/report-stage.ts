import { contract } from '../../../contract/index.ts'
import type { TestApp } from '../app.ts'
import type { TestClient } from '../client.ts'
import { until } from '../wait.ts'
import { createRoutine, firesOf } from './routine-stage.ts'

/** Milliseconds before what has failed for the first time is tried again. */
export const PAUSE = 15_000
export const WRITES = /^(insert|update|delete)/

export const filesOf = async (client: TestClient) => (await client.call(contract.files.list, {})).items
export const nightly = (client: TestClient, report = true) =>
  createRoutine(client, { name: 'Nightly', text: '/system.processes', cron: null, report })

/** Starts it by hand, and waits until its run has ended; nobody has looked since. */
export async function runOnce(client: TestClient, routine_id: string): Promise<void> {
  const { fire_id } = await client.call(contract.routines.run, { params: { routine_id } })
  await until(
    async () => {
      const fire = (await firesOf(client, routine_id)).find((one) => one.fire_id === fire_id)
      return fire?.run?.status === 'done'
    },
    { what: 'its run has ended' },
  )
}

/** Entries whose report is still to come. */
export const owed = async ({ app }: TestApp) =>
  app.db.read.selectFrom('routine_fire').select('fire_id').where('report_until', 'is not', null).execute()
