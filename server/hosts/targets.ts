import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { isRemote, type KnownHost } from './host-rows.ts'
import type { HostTarget } from './ssh/target.ts'

/**
 * How to connect to a machine, with those on the way to it. @throws {AppError} host_is_local; host_disabled, for one on
 * the way too
 */
export function targetOf(all: ReadonlyMap<string, KnownHost>, host: KnownHost): HostTarget {
  if (!isRemote(host)) throw new AppError('host_is_local', say`This is the machine that Reeve runs on.`)
  const { host_id, name, address, port, account, host_key, jump_host_id } = host
  if (host.disabled_at !== null)
    throw new AppError('host_disabled', say`“${name}” is disabled here: nothing connects to it.`)
  const jump = jump_host_id === null ? undefined : all.get(jump_host_id)
  return { host_id, name, address, port, account, host_key, ...(jump && { jump: targetOf(all, jump) }) }
}
