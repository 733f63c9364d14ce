import { GuardedFetchError } from '../../kernel/network/guarded-fetch.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { ModuleProblem, sentenceOf } from '../spec/module-problem.ts'

/** The authorization server said that what it granted before does not count any more. */
export class GrantOver extends ModuleProblem {
  override readonly name: string = 'GrantOver'
}

/** It does not know Reeve any more. */
export class ClientForgotten extends GrantOver {
  override readonly name = 'ClientForgotten'
}

/** Errors of the library may repeat what a server said, so none of them is shown as it is. */
export async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ModuleProblem) throw error
    throw await problemOf(error)
  }
}

async function problemOf(error: unknown): Promise<ModuleProblem> {
  const options = { cause: error }
  let inner = error
  while (inner instanceof Error && !(inner instanceof GuardedFetchError) && inner.cause !== undefined)
    inner = inner.cause
  if (inner instanceof GuardedFetchError) return new ModuleProblem(sentenceOf(inner), options)
  const { IssuerMismatchError, InsecureTokenEndpointError, OAuthError, OAuthErrorCode, RegistrationRejectedError } =
    await import('@modelcontextprotocol/client')
  const unknown: readonly string[] = [OAuthErrorCode.InvalidClient, OAuthErrorCode.UnauthorizedClient]
  const over: readonly string[] = [OAuthErrorCode.InvalidGrant, OAuthErrorCode.InvalidScope]
  if (error instanceof OAuthError && unknown.includes(error.code))
    return new ClientForgotten(refused(error.code), options)
  if (error instanceof OAuthError && over.includes(error.code)) return new GrantOver(refused(error.code), options)
  if (error instanceof OAuthError) return new ModuleProblem(refused(error.code), options)
  if (error instanceof IssuerMismatchError)
    return new ModuleProblem(say`The answer came from another authorization server than was asked.`, options)
  if (error instanceof InsecureTokenEndpointError)
    return new ModuleProblem(say`The authorization server wants secrets sent without encryption.`, options)
  if (error instanceof RegistrationRejectedError)
    return new ModuleProblem(say`The authorization server does not let Reeve register (HTTP ${error.status}).`, options)
  return new ModuleProblem(say`The authorization server answers in a way that cannot be used.`, options)
}

/** Codes are chosen from a short list by those who keep to it; by others they may be anything. */
function refused(code: string): Sentence {
  return /^[a-z_]{1,40}$/.test(code)
    ? say`The authorization server refused: ${code}.`
    : say`The authorization server refused.`
}
