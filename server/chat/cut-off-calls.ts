import type { ToolCallTable } from '../db/rows/chat-tables.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import { noticeIn, runNotice } from './history/run-notices.ts'
import type { RunContext } from './run/run-context.ts'
import type { StoredRun } from './run/run-store.ts'
import { readTargets } from './targets/call-targets.ts'
import { begunOn, cutOff } from './targets/how-far.ts'

/**
 * Ends the calls of a run whose driver was killed, as far as it is known how: reading ones have simply failed, a command was
 * ended with the driver, and of those on machines each has a row. The others end with the run, as unknown.
 */
export async function endCutOffCalls(
  { db, store, ports }: RunContext,
  { row: { run_id } }: StoredRun,
  underWay: readonly ToolCallTable[],
  { epoch, language }: { readonly epoch: number; readonly language: string },
): Promise<void> {
  const end = (
    tool_call_id: string,
    status: 'done' | 'failed' | 'cancelled' | 'unknown',
    told: readonly Sentence[],
    notice?: ReturnType<typeof runNotice>,
  ) => {
    const event = { type: 'call_ended' as const, tool_call_id, status }
    const result_text = told.map((each) => each.in(language)).join(' ')
    return db.transaction((trx) => store.apply(trx, run_id, { event, epoch, result_text, ...(notice && { notice }) }))
  }
  for (const { tool_call_id } of underWay.filter(({ effect }) => effect === 'read'))
    await end(tool_call_id, 'failed', [say`The service stopped while this ran.`])
  for (const { tool_call_id, targets } of underWay.filter(({ effect }) => effect !== 'read')) {
    const command = ports.endedCommand(tool_call_id)
    const notice = command === null ? undefined : runNotice('command_ended', `${command.name} (PID ${command.pid})`)
    const ended =
      notice === undefined
        ? null
        : say`${noticeIn(notice, language).text} It is unknown how far it got: check before you repeat it.`
    const stopped = say`The service stopped while this ran.`
    const machines = readTargets(targets)
    if (machines === null) {
      if (ended !== null) await end(tool_call_id, 'unknown', [ended], notice)
      continue
    }
    const { status, told } = cutOff(await begunOn(db.read, tool_call_id), machines.length)
    await end(tool_call_id, status, [ended ?? stopped, ...told], notice)
  }
}
