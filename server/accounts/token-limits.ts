import type { Caller } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'

/**
 * Sign-ins, tokens and the password are changed by a signed-in person only: a leaked token must not be able to make
 * another one, without its scope or its end. @throws {AppError} forbidden
 */
export function refuseToken(caller: Caller): void {
  if (caller.kind === 'token')
    throw new AppError('forbidden', say`An access token cannot do this. Sign in and do it there.`)
}

/** No subject of a scope covers the account itself. @throws {AppError} forbidden */
export function refuseScope(caller: Caller): void {
  if (caller.scope !== null)
    throw new AppError('forbidden', say`The access token is limited to some permissions, and this is not one of them.`)
}
