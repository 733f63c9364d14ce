import { HOST_LIMITS } from '../../contract/host-values.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'

interface Link {
  readonly host_id: string
  readonly name: string
  readonly jump_host_id: string | null
}

/** The machines on the way to one, the nearest to it first; without it. Rows never form a circle. */
export function wayTo<H extends Link>(all: ReadonlyMap<string, H>, host_id: string): H[] {
  const way: H[] = []
  for (let at = all.get(host_id)?.jump_host_id ?? null; at !== null;) {
    const next = all.get(at)
    if (next === undefined || way.includes(next)) break
    way.push(next)
    at = next.jump_host_id
  }
  return way
}

/**
 * Whether every machine can be reached if `changed` is reached through `jump_host_id`.
 * @throws {AppError} host_jump: no such machine, a circle, or too many in a row
 */
export function checkJumps(
  rows: readonly Link[],
  changed: { readonly host_id: string; readonly name: string; readonly jump_host_id: string },
): void {
  const all = new Map(rows.map((row) => [row.host_id, row]))
  const jump = all.get(changed.jump_host_id)
  if (jump === undefined || jump.host_id === 'local')
    throw new AppError('host_jump', say`Choose one of the other machines to go through.`)
  all.set(changed.host_id, changed)
  const before = wayTo(all, jump.host_id)
  if (jump.host_id === changed.host_id || before.some(({ host_id }) => host_id === changed.host_id))
    throw new AppError('host_jump', say`“${jump.name}” is itself reached through “${changed.name}”.`)
  for (const { host_id, name } of all.values()) {
    if (wayTo(all, host_id).length > HOST_LIMITS.jumps)
      throw new AppError(
        'host_jump',
        say`“${name}” would be reached through more than ${HOST_LIMITS.jumps} machines in a row.`,
      )
  }
}
