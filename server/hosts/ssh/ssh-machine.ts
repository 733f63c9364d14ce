import type { Machine, MachineFacts } from '../../modules/machines.ts'
import { askPlan } from '../reeve-op/ask-plan.ts'
import { operate, operationStatus } from '../reeve-op/operate.ts'
import { ask, type There } from './ask.ts'
import { ADDRESSES_QUESTION, parseAddresses } from './questions/addresses.ts'
import { FACTS_SCRIPT, MOST_FACTS, parseFacts } from './questions/facts.ts'
import { listDirectoryQuestion } from './questions/list-directory.ts'
import { readEachQuestion } from './questions/read-each.ts'
import { readFilesQuestion } from './questions/read-files.ts'
import { spaceQuestion } from './questions/space.ts'
import { runCommand } from './run-command.ts'
import { writeFile } from './write-file.ts'

/** The port to a machine over SSH. */
export function openMachine(there: There): Machine {
  const { host_id, name } = there.connection.target
  return {
    id: host_id,
    name,
    facts: (signal) => factsOf(there, signal),
    async readFiles(paths, options, signal) {
      if (paths.length === 0) return new Map()
      const question = readFilesQuestion(paths, options)
      return question.parse(await ask(there, question, signal))
    },
    async readEach(parent, wanted, signal) {
      const question = readEachQuestion(parent, wanted)
      return question.parse(await ask(there, question, signal))
    },
    async listDir(path, options, signal) {
      const question = listDirectoryQuestion(path, options)
      return question.parse(await ask(there, question, signal))
    },
    async space(paths, deadline_ms, signal) {
      if (paths.length === 0) return new Map()
      const question = spaceQuestion(paths, deadline_ms)
      return question.parse(await ask(there, question, signal))
    },
    async addresses(signal) {
      return parseAddresses((await ask(there, ADDRESSES_QUESTION, signal)).toString('utf8'))
    },
    run: (command, signal) => runCommand(there, command, signal),
    write: (path, bytes, options, signal) => writeFile(there, path, bytes, options, signal),
    operate: (operation, options, signal) => operate(there.door, operation, options, signal),
    plan: (wanted, signal) => askPlan(there.door, wanted, signal),
    operationStatus: (options, signal) => operationStatus(there.door, options, signal),
  }
}

/** Asked once in a connection. */
export async function factsOf(there: There, signal: AbortSignal): Promise<MachineFacts> {
  const session = await there.connection.session(there.urgency, signal)
  if (session.facts !== null) return session.facts
  const sent = Date.now()
  let begun = sent
  const question = { script: FACTS_SCRIPT, most: MOST_FACTS, onBegin: () => (begun = Date.now()) }
  session.facts = parseFacts((await ask(there, question, signal)).toString('utf8'), sent, begun)
  return session.facts
}
