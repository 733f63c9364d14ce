import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { contract } from '../../../contract/index.ts'
import type { Database } from '../../../server/db/database.ts'
import { begin, decide } from '../chat-stage.ts'
import type { SharedMember } from '../shared-stage.ts'
import { until } from '../wait.ts'

/** A call of `plain.hold`, which runs until it is released. */
export interface HeldCall extends AsyncDisposable {
  approve(): Promise<void>
  /** Resolves once its row says that it runs. */
  runs(): Promise<unknown>
  release(): Promise<void>
  /** Resolves once its run is over. */
  ends(): Promise<unknown>
  row(): Promise<{ status: string; started_at: number | null }>
}

/** Asks a process for the call; its card is up then. */
export async function openHeldCall({ admin, service }: SharedMember, db: Database): Promise<HeldCall> {
  const released = join(service.dataFolder, 'modules/data/plain/release')
  await rm(released, { force: true })
  const { conversation_id, run_id } = await begin(admin, '/plain.hold {}')
  const cards = () => admin.call(contract.chat.listApprovals, { query: { status: 'pending' } })
  const card = await until(async () => (await cards()).items.find((item) => item.run_id === run_id), {
    what: 'a card is up',
  })
  const row = async () =>
    db.read
      .selectFrom('tool_call')
      .select(['status', 'started_at'])
      .where('run_id', '=', run_id)
      .executeTakeFirstOrThrow()
  const conversation = () => admin.call(contract.chat.conversation, { params: { conversation_id } })
  return {
    approve: async () =>
      void (await decide(admin, card.approval_id, 'approve', { headers: { prefer: 'respond-async' } })),
    runs: () => until(async () => (await row()).status === 'running', { what: 'the call runs' }),
    release: () => writeFile(released, ''),
    ends: () => until(async () => (await conversation()).active_run === null, { what: 'the call has ended' }),
    row,
    async [Symbol.asyncDispose]() {
      await writeFile(released, '').catch(() => undefined)
    },
  }
}
