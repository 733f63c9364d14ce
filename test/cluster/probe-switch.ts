import { contract } from '../../contract/index.ts'
import { ProblemAnswer } from '../stage/client.ts'
import type { Acknowledged } from './acknowledged.ts'
import { ONLY } from './balancer.ts'
import { Unanswered, type Person } from './person.ts'
import type { Replica } from './replica.ts'

const SUBJECT = 'tool:ledger.probed'
const STUBBORN_MS = 30_000

/**
 * For a replica that hears nothing of the others: a switch is thrown elsewhere, and as soon as that is acknowledged, a call
 * is asked for at that replica. It must not run.
 */
export function switchProbe(admin: Person, caller: Person, known: Acknowledged): (deaf: Replica) => Promise<void> {
  let count = 0
  let last: Promise<void> = Promise.resolve()
  const save = (off: boolean) =>
    admin.ask(
      'switch',
      contract.runsAdmin.saveSwitch,
      { body: { subject: SUBJECT, off, reason: 'Probed' } },
      { againFor: STUBBORN_MS },
    )

  async function probe(deaf: Replica): Promise<void> {
    await save(true)
    const over = known.switchedOff('probe')
    const mark = `E0-${++count}`
    known.effect(mark, 'probe')
    admin.history.note('probe', { mark, replica: deaf.name })
    try {
      await caller.ask(
        'probe',
        contract.chat.send,
        { body: { message: `/ledger.probed text=${mark}`, conversation_id: null } },
        { headers: { [ONLY]: String(deaf.name), 'idempotency-key': mark } },
      )
    } catch (error) {
      if (!(error instanceof ProblemAnswer) && !(error instanceof Unanswered)) throw error
    } finally {
      over()
      await save(false)
    }
  }

  // One after another: they share the switch.
  return (deaf) => (last = last.then(() => probe(deaf)).catch(() => undefined))
}
