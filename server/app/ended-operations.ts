import type { OperationEnd, Operations } from '../chat/ports/hosts.ts'
import { say } from '../kernel/sentence.ts'
import type { Machines } from '../modules/machines.ts'
import { operationId } from '../modules/operation-id.ts'

/** For an answer of a machine that is there. */
const WAIT_MS = 10_000

/** What the machines' reeve-op say later of operations whose end was not known when their calls ended. */
export function endedOperations(machines: Machines): Operations {
  return {
    idOf: operationId,
    async endOf(host_id, op_id, signal): Promise<OperationEnd> {
      const machine = await machines.get(host_id)
      if (machine === null) return { kind: 'never_known', text: say`The machine is not there any more.` }
      const end = await machine.operationStatus({ op_id, deadline_ms: WAIT_MS }, signal)
      switch (end.kind) {
        case 'ended':
          return { kind: 'ended', ok: end.exit_code === 0, output: end.text }
        case 'refused':
          return { kind: 'not_done', output: end.text }
        case 'interrupted':
          return {
            kind: 'never_known',
            text: say`It was interrupted on the machine, and how far it came is not known.`,
          }
        case 'busy':
        case 'running':
        case 'missing':
        case 'lost':
          return { kind: 'later' }
      }
    },
  }
}
