import type { Caller } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import type { CallHost, HostList } from './hosts.ts'
import type { Policy, UserPolicy } from './policy.ts'

/**
 * A machine, for whoever may use it, with their policy; for others it is as if there were none.
 * @throws {AppError} not_found
 */
export async function usableHost(
  { policy, hosts }: { readonly policy: Pick<Policy, 'forUser'>; readonly hosts: Pick<HostList, 'read'> },
  { user_id, scope, kind }: Caller,
  host_id: string,
): Promise<{ readonly own: UserPolicy; readonly host: CallHost }> {
  const own = await policy.forUser(user_id, scope, kind)
  // Afterwards: then they are as new as the rules.
  const host = (await hosts.read()).find((one) => one.host_id === host_id)
  if (own === null || host === undefined || !own.mayUse(host)) throw noMachine()
  return { own, host }
}

export function noMachine(): AppError {
  return new AppError('not_found', say`There is no such machine.`)
}

export function hostDisabled(name: string): AppError {
  return new AppError('host_disabled', isDisabled(name))
}

export function isDisabled(name: string): Sentence {
  return say`“${name}” is disabled here: nothing connects to it.`
}
