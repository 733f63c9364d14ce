import { hostDisabled } from '../chat/ports/usable-host.ts'
import { AppError } from '../kernel/app-error.ts'
import { type KnownHost, theRemote } from './host-rows.ts'
import type { HostTarget } from './ssh/target.ts'

/**
 * How to connect to a machine, with those on the way to it. @throws {AppError} not_found, host_is_local; host_disabled,
 * for one on the way too
 */
export function targetOf(all: ReadonlyMap<string, KnownHost>, host_id: string): HostTarget {
  const { name, address, port, account, host_key, jump_host_id, disabled_at } = theRemote(all, host_id)
  if (disabled_at !== null) throw hostDisabled(name)
  const jump = jump_host_id === null ? {} : { jump: targetOf(all, jump_host_id) }
  return { host_id, name, address, port, account, host_key, ...jump }
}

/** The same for a call; null where there is no such machine any more, or nothing connects to it. */
export function openTarget(all: ReadonlyMap<string, KnownHost>, host_id: string): HostTarget | null {
  try {
    return targetOf(all, host_id)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
