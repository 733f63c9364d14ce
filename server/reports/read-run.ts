import type { Table } from '../../contract/messages.ts'
import type { Reader } from '../db/database.ts'

/** What a report is made of. */
export interface RunToReport {
  readonly run_id: string
  readonly user_id: string
  readonly conversation_id: string
  readonly status: string
  /** Of the conversation; may be empty. */
  readonly title: string
  readonly engine: string | null
  readonly model: string | null
  /** Epoch milliseconds; null while it goes on. */
  readonly ended_at: number | null
  /** The owner's. */
  readonly username: string
  readonly by: string
  readonly language: string
  /** IANA name. */
  readonly zone: string
  /** What it said last, as Markdown. */
  readonly answer: string
  readonly tables: readonly Table[]
}

/** Null: there is no such run. */
export async function readRun(reader: Reader, run_id: string): Promise<RunToReport | null> {
  const run = await reader
    .selectFrom('run')
    .innerJoin('conversation', 'conversation.conversation_id', 'run.conversation_id')
    .innerJoin('user', 'user.user_id', 'run.user_id')
    .leftJoin('notice_setting as setting', 'setting.user_id', 'run.user_id')
    .select(['run.run_id', 'run.user_id', 'run.conversation_id', 'run.status', 'run.engine', 'run.model'])
    .select(['run.ended_at', 'run.output_message_id', 'conversation.title'])
    .select(['user.username', 'user.display_name', 'user.language', 'setting.zone'])
    .where('run.run_id', '=', run_id)
    .executeTakeFirst()
  if (run === undefined) return null
  const parts = await reader
    .selectFrom('message_part')
    .select(['type', 'text', 'step', 'data'])
    .where('message_id', '=', run.output_message_id)
    .where('type', 'in', ['text', 'table'])
    .orderBy('part_index')
    .execute()
  const texts = parts.filter(({ type, text }) => type === 'text' && text.trim() !== '')
  const last = texts.at(-1)?.step
  const { output_message_id: _, display_name, zone, ...facts } = run
  return {
    ...facts,
    by: display_name || run.username,
    zone: zone ?? 'UTC',
    answer: texts
      .filter(({ step }) => step === last)
      .map(({ text }) => text.trim())
      .join('\n\n'),
    tables: parts.flatMap(({ type, data }) => {
      if (type !== 'table') return []
      const { table } = JSON.parse(data) as { table: Table }
      // A workbook has no sheet without columns.
      return table.columns.length === 0 ? [] : [table]
    }),
  }
}
