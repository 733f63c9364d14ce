import type { Machine } from '../../../server/modules/machines.ts'
import { askProgram } from '../programs/ask-program.ts'

const DEADLINE_MS = 10_000

export interface UserState {
  readonly uid: number
  readonly home: string
  readonly shell: string
  /** Sorted. */
  readonly groups: readonly string[]
  /** Of the processes that run as it: number and name. */
  readonly processes: readonly string[]
}

/** Null where there is no such account. */
export async function readUser(machine: Machine, name: string, signal: AbortSignal): Promise<UserState | null> {
  const found = await askProgram(machine, ['getent', 'passwd', '--', name], DEADLINE_MS, signal)
  const [, , uid = '', , , home = '', shell = ''] = found.stdout.trim().split(':')
  if (found.code !== 0 || !/^\d{1,10}$/.test(uid)) return null
  const [ids, running] = await Promise.all([
    askProgram(machine, ['id', '-nG', '--', name], DEADLINE_MS, signal),
    machine.run({ argv: ['ps', '-o', 'pid=,comm=', '-u', uid], deadline_ms: DEADLINE_MS, max_bytes: 20_000 }, signal),
  ])
  const groups = ids.stdout
    .trim()
    .split(/\s+/)
    .filter((group) => group !== '')
    .sort()
  const processes = running.kind === 'ended' ? running.stdout.split('\n').map((line) => line.trim().slice(0, 100)) : []
  return { uid: Number(uid), home, shell, groups, processes: processes.filter((line) => line !== '') }
}
