import type { Database } from '../../db/database.ts'
import type { Tasks } from '../../kernel/tasks.ts'
import type { Audit } from './audit.ts'
import { ENTRY_RECORDED } from './audit.ts'

const TASK = 'chain the audit log'
/** Milliseconds from a new entry to its chaining: what comes meanwhile is chained with it. */
const PAUSE = 200
/** For entries whose wake-up was lost, or that the command line made beside an embedded database. */
const LOOK = 60_000

/** Chains new entries of every process soon after they are committed, until the tasks are closed. */
export function keepChained(tasks: Tasks, db: Database, audit: Pick<Audit, 'chain'>): void {
  let due = false
  const soon = (): void => {
    if (due) return
    due = true
    setTimeout(() => {
      due = false
      tasks.spawn(TASK, chain)
    }, PAUSE).unref()
  }
  const chain = async (): Promise<void> => {
    if ((await audit.chain()) === 'busy') soon()
  }
  db.onWake(ENTRY_RECORDED, soon)
  tasks.every(TASK, LOOK, chain)
  soon()
}
