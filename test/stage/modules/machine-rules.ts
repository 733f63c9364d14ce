import type { z } from 'zod'
import { sqlModule } from '../../../builtin/sql/module.ts'
import { systemModule } from '../../../builtin/system/module.ts'
import { localMachines } from '../../../server/hosts/local/local-machines.ts'
import type { Rule } from '../../../contract/rules.ts'

type Rules = readonly z.input<typeof Rule>[]

const OPERATIONS = ['service', 'package', 'file', 'user', 'journal_vacuum', 'power', 'undo']
const CHANGING = [...OPERATIONS, 'run_command', 'run_command_as_root', 'signal_process', 'execute']

/**
 * The rules, and for every tool of the machine that none of them is about what an administrator has without one: reading is
 * allowed, the rest asks the person. For tests that are about something else than who may use the machine.
 */
export function withMachineTools(rules: Rules): z.input<typeof Rule>[] {
  const subjects = new Set(rules.map(({ subject }) => subject))
  const added = [systemModule(localMachines(null)), sqlModule('')].flatMap(({ manifest: { name, tools } }) =>
    subjects.has(`tool:${name}.*`)
      ? []
      : tools
          .filter((tool) => !subjects.has(`tool:${name}.${tool.name}`))
          .map((tool) => ({
            subject: `tool:${name}.${tool.name}`,
            ...(CHANGING.includes(tool.name)
              ? { effect: 'ask' as const, approvers: [] }
              : { effect: 'allow' as const }),
          })),
  )
  return [...rules, ...added]
}
