import { sql } from 'kysely'
import type { Policy } from '../chat/policy.ts'
import type { Database } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { quoted, say } from '../kernel/sentence.ts'
import { fold, likePattern } from '../kernel/text.ts'
import type { FilesCaller, ModuleFiles } from '../modules/module-files.ts'
import { decodeText } from './decode-text.ts'
import type { Files } from './files.ts'
import { imageType } from './image-type.ts'

/** Bytes that decide what a file is and how its text is encoded. */
const HEAD_SIZE = 64 * 1024
const SAME_NAME_LIMIT = 6
/** What a card for a run itself, and a grant that came from one, have as their module. */
const RUN_CARD = 'reeve'

export interface ModuleFilesOptions {
  readonly files: Files
  readonly database: Database
  readonly policy: Policy
}

/** Stored files for built-in modules: what the person of the run may see, under the rules and the token's scope as they are now. */
export function createModuleFiles({ files, database, policy }: ModuleFilesOptions): ModuleFiles {
  async function permission(caller: FilesCaller, wanted: 'files.read' | 'files.create'): Promise<string | null> {
    const run = await database.read
      .selectFrom('run')
      .select(['scope', 'conversation_id'])
      .where('run_id', '=', caller.run_id)
      .where('user_id', '=', caller.user_id)
      .executeTakeFirst()
    if (run === undefined) return 'Stored files can only be used in a run of the person they belong to.'
    const scope = run.scope === null ? null : (JSON.parse(run.scope) as string[])
    const verdict = (await policy.forUser(caller.user_id, scope))?.permission(wanted)
    if (verdict?.effect === 'allow') return null
    if (verdict?.effect === 'ask' && (await isApproved(caller, run.conversation_id, wanted))) return null
    const what = wanted === 'files.read' ? 'Reading stored files' : 'Storing files'
    if (verdict === undefined) return `${what} is not possible: the account is disabled or gone.`
    return verdict.effect === 'deny'
      ? `${what} is not allowed. ${verdict.reason}`
      : `${what} needs an approval that a module cannot ask for. ${verdict.reason} An administrator can change that.`
  }

  /** What asks may have been approved for the run itself, on the card before it began, or for its whole conversation. */
  async function isApproved(
    { user_id, run_id }: FilesCaller,
    conversation_id: string,
    wanted: string,
  ): Promise<boolean> {
    const cards = await database.read
      .selectFrom('approval')
      .select('arguments')
      .where('run_id', '=', run_id)
      .where('kind', '=', 'run')
      .where('status', '=', 'approved')
      .execute()
    if (cards.some((card) => (JSON.parse(card.arguments) as { permissions?: string[] }).permissions?.includes(wanted)))
      return true
    const grant = await database.read
      .selectFrom('approval_grant')
      .select('grant_id')
      .where('conversation_id', '=', conversation_id)
      .where('user_id', '=', user_id)
      .where('module', '=', RUN_CARD)
      .where('tool', '=', wanted)
      .executeTakeFirst()
    return grant !== undefined
  }

  async function demandReading(caller: FilesCaller): Promise<void> {
    const refusal = await permission(caller, 'files.read')
    if (refusal !== null) throw new AppError('forbidden', quoted(refusal))
  }

  async function byName(user_id: string, name: string) {
    // PostgreSQL fails on a NUL, and no stored name has one.
    if (name.includes('\0')) return []
    const query = database.read.selectFrom('file').select(['file_id', 'name']).where('user_id', '=', user_id)
    const rows = await query
      .where('name_folded', '=', fold(name.normalize('NFC')))
      .where('deleted_at', 'is', null)
      .orderBy('file_id', 'desc')
      .limit(200)
      .execute()
    const exact = rows.filter((row) => row.name === name.normalize('NFC'))
    return exact.length > 0 ? exact : rows
  }

  return {
    permission,
    async list(caller, { query, limit, cursor }) {
      await demandReading(caller)
      if (query === undefined || query === '') return files.list(caller.user_id, { limit, cursor })
      let rows = database.read
        .selectFrom('file')
        .select('file_id')
        .where('user_id', '=', caller.user_id)
        .where('deleted_at', 'is', null)
        .where(sql<boolean>`name_folded like ${likeOf(query)} escape '\\'`)
      if (cursor !== undefined) rows = rows.where('file_id', '<', cursor.replaceAll('\0', ''))
      const found = await rows
        .orderBy('file_id', 'desc')
        .limit(limit + 1)
        .execute()
      const page = found.slice(0, limit).map((row) => row.file_id)
      const items = await files.entries(caller.user_id, page)
      return { items, next_cursor: found.length > limit ? page.at(-1)! : null }
    },
    async find(caller, id_or_name) {
      await demandReading(caller)
      if (/^fil_[0-9a-z]{1,60}$/.test(id_or_name)) return files.entry(caller.user_id, id_or_name)
      const [only, ...more] = await byName(caller.user_id, id_or_name)
      if (only === undefined)
        throw new AppError('not_found', say`There is no stored file with the name ${JSON.stringify(id_or_name)}.`)
      if (more.length === 0) return files.entry(caller.user_id, only.file_id)
      const ids = [only, ...more].slice(0, SAME_NAME_LIMIT).map((row) => row.file_id)
      throw new AppError(
        'not_found',
        say`${more.length + 1} stored files have the name ${JSON.stringify(id_or_name)}. Give the id of one, newest first: ${ids.join(', ')}.`,
      )
    },
    async open(caller, file_id, limit) {
      await demandReading(caller)
      const { stream } = await files.open(caller.user_id, file_id)
      return limit === undefined ? stream : firstBytes(stream, limit)
    },
    async locate(caller, file_id) {
      await demandReading(caller)
      return files.locate(caller.user_id, file_id)
    },
    async look(caller, file_id) {
      await demandReading(caller)
      const { size } = await files.entry(caller.user_id, file_id)
      if (size === 0) return { kind: 'empty' }
      const head = await files.head(caller.user_id, file_id, HEAD_SIZE)
      if (head === null) throw new AppError('not_found', say`The content of this file is missing from the storage.`)
      const media_type = imageType(head)
      if (media_type !== null) return { kind: 'image', media_type }
      const decoded = decodeText(head, head.byteLength < size)
      if (decoded === null) return { kind: 'binary' }
      const { encoding } = decoded
      return {
        kind: 'text',
        encoding,
        pieces: async function* () {
          const { stream } = await files.open(caller.user_id, file_id)
          const decoder = new TextDecoder(encoding)
          for await (const piece of stream) yield decoder.decode(piece, { stream: true })
          yield decoder.decode()
        },
      }
    },
  }
}

function likeOf(query: string): string {
  return likePattern(fold(query.replaceAll('\0', '')))
}

async function* firstBytes(stream: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let left = limit
  for await (const piece of stream) {
    yield piece.subarray(0, left)
    left -= piece.byteLength
    if (left <= 0) return
  }
}
