import type { contract } from '../../contract/index.ts'
import type { Caller, Handlers } from '../../contract/route.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { Database } from '../db/database.ts'
import type { Files } from '../files/files.ts'
import type { Log } from '../kernel/log.ts'

const HOUR = 3_600_000
/** Files that one user has read in an hour; beyond this many, some of them are recorded again. */
const READS = 10_000

interface Options {
  readonly db: Database
  readonly audit: Accounts['audit']
  readonly log: Log
}

/**
 * Records what people take out of Reeve or delete from it, once it has worked: reads of files, exports, deletions. Names
 * of files are recorded, never what a file or a conversation says.
 */
export function auditedUses({ db, audit, log }: Options) {
  const record = async (
    actor: Caller,
    entry: { readonly action: string; readonly target: string; readonly details?: Record<string, unknown> },
  ): Promise<void> => {
    try {
      await db.transaction((trx) => audit.record(trx, { actor, outcome: 'ok', ...entry }))
    } catch (error) {
      // What was asked for has happened, or is the owner's to have: a full disk must not keep people from their files.
      log.error({ err: error, action: entry.action }, 'not recorded in the audit log')
    }
  }
  const once = onceAnHour()

  return {
    files(handlers: Handlers<typeof contract.files>, files: Pick<Files, 'entry'>): Handlers<typeof contract.files> {
      return {
        ...handlers,
        download: async (input) => {
          const answer = await handlers.download(input)
          const { file_id } = input.params
          if (once(`${input.caller.user_id} ${file_id} download`))
            await record(input.caller, { action: 'file.downloaded', target: file_id, details: { name: answer.name } })
          return answer
        },
        preview: async (input) => {
          const answer = await handlers.preview(input)
          const { file_id } = input.params
          // A thumbnail is part of a list.
          if (input.query.width === undefined && once(`${input.caller.user_id} ${file_id} preview`))
            await record(input.caller, { action: 'file.previewed', target: file_id, details: { name: answer.name } })
          return answer
        },
        remove: async (input) => {
          const { file_id } = input.params
          // One that was deleted before has no entry any more.
          const name = await files.entry(input.caller.user_id, file_id).then(
            (file) => ({ name: file.name }),
            () => ({}),
          )
          const answer = await handlers.remove(input)
          const details = { ...name, forever: input.query.forever === 'true' }
          await record(input.caller, { action: 'file.deleted', target: file_id, details })
          return answer
        },
      }
    },

    chat(handlers: Handlers<typeof contract.chat>): Handlers<typeof contract.chat> {
      const deleted = (caller: Caller, target: string, forever: boolean) =>
        record(caller, { action: 'conversation.deleted', target, details: { forever } })
      return {
        ...handlers,
        deleteConversation: async (input) => {
          const answer = await handlers.deleteConversation(input)
          await deleted(input.caller, input.params.conversation_id, false)
          return answer
        },
        purgeConversation: async (input) => {
          const answer = await handlers.purgeConversation(input)
          await deleted(input.caller, input.params.conversation_id, true)
          return answer
        },
        emptyBin: async (input) => {
          const answer = await handlers.emptyBin(input)
          const details = { conversations: answer.purged }
          await record(input.caller, { action: 'bin.emptied', target: '', details })
          return answer
        },
        exportConversation: async (input) => {
          const answer = await handlers.exportConversation(input)
          const target = input.params.conversation_id
          const details = { format: input.query.format }
          await record(input.caller, { action: 'conversation.exported', target, details })
          return answer
        },
      }
    },

    tables(handlers: Handlers<typeof contract.tables>): Handlers<typeof contract.tables> {
      return {
        ...handlers,
        export: async (input) => {
          const answer = await handlers.export(input)
          const { body } = input
          const target = 'file_id' in body && typeof body.file_id === 'string' ? body.file_id : ''
          const details = { format: body.format ?? 'xlsx' }
          await record(input.caller, { action: 'table.exported', target, details })
          return answer
        },
      }
    },
  }
}

/** True the first time in an hour: a player or a viewer reads a file in many pieces. */
function onceAnHour(now = Date.now): (key: string) => boolean {
  const seen = new Set<string>()
  let hour = 0
  return (key) => {
    const current = Math.floor(now() / HOUR)
    if (current !== hour || seen.size >= READS) seen.clear()
    hour = current
    if (seen.has(key)) return false
    seen.add(key)
    return true
  }
}
