import { HOST_ARGUMENT, LOCAL_HOST } from '../../../contract/host-values.ts'
import type { CallHost } from '../../chat/ports/hosts.ts'
import { worksOnMachines } from '../../chat/ports/tools.ts'
import { namesOf } from './policy-subject.ts'
import type { PolicyTool } from './policy-tool.ts'

type Machines = readonly CallHost[]

/** What rules look at of a call that was kept: which machines it names is judged by itself. */
export function judgedArguments(tool: PolicyTool, args: Record<string, unknown>): Record<string, unknown> {
  if (!worksOnMachines(tool)) return args
  const { [HOST_ARGUMENT]: _host, ...own } = args
  return own
}

/** What rules look at of a call that would be made: with the schema's defaults, where the tool is known. */
export function filledArguments(found: PolicyTool | undefined, args: Record<string, unknown>): Record<string, unknown> {
  return found?.definition?.fill(judgedArguments(found, args)) ?? args
}

/** The machines that a call was about; undefined for a tool that works on none, null if some of them are gone. */
export function machinesOf(tool: PolicyTool, targets: string | null, all: Machines): Machines | null | undefined {
  if (!worksOnMachines(tool)) return undefined
  const ids = targets === null ? [LOCAL_HOST] : (JSON.parse(targets) as { host_id: string }[]).map((one) => one.host_id)
  const there = all.filter(({ host_id }) => ids.includes(host_id))
  return there.length === ids.length ? there : null
}

/** The machines that a name or `#tag` means; the local one unless given. */
export function machinesNamed(tool: PolicyTool, named: string | undefined, all: Machines): Machines | undefined {
  if (!worksOnMachines(tool)) return undefined
  const word = named?.toLowerCase() ?? LOCAL_HOST
  return all.filter((host) => namesOf(host).includes(word))
}
