import type { Reader } from '../../db/database.ts'

/** Whether the engine has said anything in a step of a run. */
export async function hasSpoken(reader: Reader, run_id: string, step: number): Promise<boolean> {
  const part = await reader
    .selectFrom('run')
    .innerJoin('message_part', 'message_part.message_id', 'run.output_message_id')
    .select('message_part.part_index')
    .where('run.run_id', '=', run_id)
    .where('message_part.step', '=', step)
    // Notices (the engine asked to wait, something was shortened for it) are ours, not the engine's.
    .where('message_part.type', '!=', 'notice')
    .limit(1)
    .executeTakeFirst()
  return part !== undefined
}
