import { say, type Sentence } from '../../kernel/sentence.ts'
import { addParts, noticePart } from '../history/parts.ts'
import type { IgnoredStop } from '../ports/tools.ts'
import type { Step } from '../run/step.ts'

/**
 * Adds to the answer, and to the warning for whoever stopped the run, what was done about modules that ignored a stop
 * (`ignored`, by module).
 * @throws {LostLease}
 */
export async function tellIgnored(step: Step, ignored: ReadonlyMap<string, IgnoredStop>): Promise<void> {
  const { store, policy } = step
  const { run_id } = step.run.row
  const texts = [...ignored].map(([module, what]) => sentenceOf(module, what).in(policy.language))
  await store.write(step, async (trx, { row }) => {
    const notices = texts.map((text) => noticePart({ level: 'warn', code: 'stop_ignored', text, detail: null }))
    await addParts(trx, { ...row, message_id: row.output_message_id }, row.step, notices)
    const warning = [...(row.warning === null ? [] : [row.warning]), ...texts].join(' ')
    await trx.updateTable('run').set({ warning }).where('run_id', '=', run_id).execute()
  })
}

function sentenceOf(module: string, what: IgnoredStop): Sentence {
  switch (what) {
    case 'restarted':
      return say`The module ${module} did not confirm the stop, so it was stopped and started again.`
    case 'restarts_when_idle':
      return say`The module ${module} did not confirm the stop. It will be stopped and started again as soon as its other calls have ended.`
    case 'goes_on':
      return say`The module ${module} did not confirm the stop. It may go on with what it was doing: nothing can end it from here.`
  }
}
