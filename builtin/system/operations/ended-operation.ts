import { z } from 'zod'
import { machineTool } from '../machine-tool.ts'
import { saidAtEnd } from './do-operation.ts'

const DEADLINE_MS = 60_000

/** How an operation ended that nobody could wait for: the machine has a record of it. */
export const operationTool = machineTool({
  name: 'operation',
  title: 'How an operation ended',
  description:
    'What became of an operation whose end was not known when its call ended (of service, package, file …), by the id that the call gave. One that has not arrived by now is never done any more.',
  effect: 'read',
  main_argument: 'id',
  deadline_ms: DEADLINE_MS + 20_000,
  input: z.strictObject({
    id: z
      .string()
      .regex(/^[0-9a-f]{32}$/)
      .describe('Id of the operation, from the result of its call'),
  }),
  async run({ id }, { machine, signal }) {
    const end = await machine.operationStatus({ op_id: id, deadline_ms: DEADLINE_MS }, signal)
    signal.throwIfAborted()
    switch (end.kind) {
      case 'ended':
        return { text: saidAtEnd(end.exit_code, end.text) }
      case 'refused':
        return { text: `It was not done, and nothing was changed: ${end.text}` }
      case 'busy':
        return { text: 'It was not done: another operation was running.' }
      case 'running':
        return { text: `It still runs. It has said so far:\n${end.text}` }
      case 'interrupted':
        return { text: `It was interrupted on the machine, and how far it came is not known. ${end.text}` }
      case 'missing':
        throw new Error(`reeve-op is not there, or may not be asked: ${end.text.trim().slice(0, 300)}`)
      case 'lost':
        if (end.lost === 'not_started') return { text: `It was not done: ${end.message}` }
        throw new Error(`The machine is silent, so nobody can tell: ${end.message}`)
    }
  },
})
