import { sql } from 'kysely'
import type { Permission } from '../../contract/route.ts'
import type { Verdict } from '../chat/ports/policy.ts'
import type { Database } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import { fold, likePattern } from '../kernel/text/plain-text.ts'
import type { FilesCaller, ModuleFiles } from '../modules/module-files.ts'
import { decodeText } from './decode-text.ts'
import { isFileId } from './file-row.ts'
import type { Files } from './files.ts'
import { imageType } from './image-type.ts'

/** Bytes that decide what a file is and how its text is encoded. */
const HEAD_SIZE = 64 * 1024
const SAME_NAME_LIMIT = 6

export interface ModuleFilesOptions {
  readonly files: Files
  readonly database: Database
  /**
   * What the owner of a run may do in it right now, including what was approved for it; null when there is no such run.
   * The verdict is null when the account is disabled or gone. `chat` implements it, `app` fills it.
   */
  readonly mayInRun: (
    run_id: string,
    permission: Permission,
  ) => Promise<{ readonly user_id: string; readonly verdict: Pick<Verdict, 'effect' | 'reason'> | null } | null>
}

/**
 * Stored files for built-in modules: what the owner of the run may see, under the current rules and the token's scope.
 */
export function createModuleFiles({ files, database, mayInRun }: ModuleFilesOptions): ModuleFiles {
  /** Null when the caller may, else the reason. */
  async function refusal(caller: FilesCaller, wanted: 'files.read' | 'files.create'): Promise<Sentence | null> {
    const inRun = await mayInRun(caller.run_id, wanted)
    if (inRun?.user_id !== caller.user_id) return say`Stored files can only be used in a run of their owner.`
    const { verdict } = inRun
    if (verdict?.effect === 'allow') return null
    const reading = wanted === 'files.read'
    if (verdict === null)
      return reading
        ? say`Stored files cannot be read: the account is disabled or gone.`
        : say`Files cannot be stored: the account is disabled or gone.`
    const { effect, reason } = verdict
    if (effect === 'deny')
      return reading
        ? say`Reading stored files is not allowed. ${reason}`
        : say`Storing files is not allowed. ${reason}`
    return reading
      ? say`Reading stored files needs an approval that a module cannot ask for. ${reason} An administrator can change that.`
      : say`Storing files needs an approval that a module cannot ask for. ${reason} An administrator can change that.`
  }

  async function demandReading(caller: FilesCaller): Promise<void> {
    const why = await refusal(caller, 'files.read')
    if (why !== null) throw new AppError('forbidden', why)
  }

  async function demandStoring(caller: FilesCaller): Promise<void> {
    const why = await refusal(caller, 'files.create')
    if (why !== null) throw new AppError('forbidden', why)
  }

  async function byName(user_id: string, name: string) {
    // PostgreSQL fails on a NUL, and no stored name contains one.
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
    permission: async (caller, wanted) => (await refusal(caller, wanted))?.toString() ?? null,
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
    async fingerprint(caller, file_id) {
      await demandReading(caller)
      if (!isFileId(file_id)) return null
      const row = await database.read
        .selectFrom('file')
        .select(['sha256', 'size'])
        .where('user_id', '=', caller.user_id)
        .where('file_id', '=', file_id)
        .where('deleted_at', 'is', null)
        .executeTakeFirst()
      return row ?? null
    },
    async replace(caller, file_id, data, expected) {
      await demandReading(caller)
      await demandStoring(caller)
      await files.replace({ user_id: caller.user_id, file_id, data, expected })
    },
    async remove(caller, file_id, expected) {
      await demandStoring(caller)
      await files.remove(caller.user_id, file_id, expected)
    },
    async look(caller, file_id) {
      await demandReading(caller)
      const { size } = await files.entry(caller.user_id, file_id)
      if (size === 0) return { kind: 'empty' }
      const head = await files.head(caller.user_id, file_id, HEAD_SIZE)
      if (head === null) throw new AppError('not_found', say`The content of this file is missing from the storage.`)
      const media_type = imageType(head)
      if (media_type !== null) return { kind: 'image', media_type }
      const decoded = await decodeText(head, head.byteLength < size)
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
