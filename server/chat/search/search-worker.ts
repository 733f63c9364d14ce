import { parentPort, workerData } from 'node:worker_threads'
import { Kysely } from 'kysely'
import type { Tables } from '../../db/schema.ts'
import { openSqliteReader } from '../../db/sqlite.ts'
import { findConversations } from './find-conversations.ts'
import type { SearchAnswer, SearchQuestion } from './search-thread.ts'

/** The thread of SearchThread: answers searches one after the other on a read-only connection. */
const db = new Kysely<Tables>({ dialect: openSqliteReader(workerData as string) })

parentPort!.on('message', ({ id, search }: SearchQuestion) => {
  void answer(id, search).then((message) => parentPort!.postMessage(message))
})

async function answer(id: number, search: SearchQuestion['search']): Promise<SearchAnswer> {
  try {
    return { id, page: await findConversations(db, 'sqlite', search) }
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    return { id, message, stack }
  }
}
