import type { NoticeToTell } from '../../../server/chat/ports/notices.ts'
import { contract } from '../../../contract/index.ts'
import type { TestClient } from '../client.ts'
import type { TestApp } from '../app.ts'

/** A watch of the name `Disk of db-1`, unless a test says otherwise; each time another one. */
export function aNotice(to: NoticeToTell['to'], more: Partial<NoticeToTell> = {}): NoticeToTell {
  const id = `wat_${++made}`
  return {
    event: 'watch_recovered',
    to,
    ref_id: id,
    path: `/watches/${id}`,
    name: 'Disk of db-1',
    detail: { value: 93, reason: 'private-detail' },
    key: id,
    ...more,
  }
}
let made = 0

/** Tells as whatever runs by itself does: in a transaction of its own. */
export async function tell({ app }: Pick<TestApp, 'app'>, notice: NoticeToTell): Promise<NoticeToTell> {
  await app.db.transaction((trx) => app.unattended.tell(trx, notice))
  return notice
}

export async function noticesOf(client: TestClient, unread: 'true' | 'false' = 'false') {
  return client.call(contract.notices.listNotices, { query: { unread } })
}
