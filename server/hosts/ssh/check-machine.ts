import { MachineUnreachable } from '../../modules/machines.ts'
import { ask, type There } from './ask.ts'
import { KeyChanged } from './sign-in.ts'
import { factsOf } from './ssh-machine.ts'
import type { HostCheck } from './target.ts'

/** Connects if need be, asks what the machine is, and how long the shortest question takes. */
export async function checkMachine(there: There, signal: AbortSignal): Promise<HostCheck> {
  try {
    const facts = await factsOf(there, signal)
    const from = performance.now()
    await ask(there, { script: 'exit 0', most: 1024 }, signal)
    return { state: 'ok', message: '', latency_ms: Math.round(performance.now() - from), facts, offered_key: null }
  } catch (error) {
    if (!(error instanceof MachineUnreachable)) throw error
    const offered_key = error instanceof KeyChanged ? error.offered_key : null
    return { state: error.state, message: error.message, latency_ms: null, facts: null, offered_key }
  }
}
