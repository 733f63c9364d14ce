import { say, type Sentence } from '../../kernel/sentence.ts'
import { ModuleProblem } from './module-problem.ts'

/** The tokens with which one person, or everybody, uses a remote server. */
export interface RemoteAccess {
  /** The token to send now; renewed before it expires. @throws {NotConnected} */
  token(): Promise<string>
  /** Another one, because the server does not take `refused` any more. @throws {NotConnected} */
  renewed(refused: string): Promise<string>
  /** The server wants more than was granted, or takes none of its tokens: somebody has to agree anew. */
  ended(challenge: Challenge, token: string): Promise<NotConnected>
}

/** What a refusal of the server says about how to get in. */
export interface Challenge {
  readonly status: number
  readonly header: string | null
}

/** Somebody has to connect the server first. What was to be sent was not begun. */
export class NotConnected extends ModuleProblem {
  override readonly name = 'NotConnected'
  constructor(detail: Sentence = say`The server has to be connected first.`) {
    super(detail)
  }
}

type Send = (input: string | URL, init: RequestInit | undefined, bearer: string) => Promise<Response>

/**
 * Sends with the token of `access`. A refused token is renewed once, and what was refused is sent again: the server has not
 * begun it.
 */
export function withAccess(
  access: RemoteAccess,
  send: Send,
): (input: string | URL, init?: RequestInit) => Promise<Response> {
  return async (input, init) => {
    let token = await access.token()
    let answer = await send(input, init, token)
    if (answer.status === 401) {
      await answer.body?.cancel()
      token = await access.renewed(token)
      answer = await send(input, init, token)
    }
    const header = answer.headers.get('www-authenticate')
    const wantsMore = answer.status === 403 && /insufficient_scope/i.test(header ?? '')
    if (answer.status !== 401 && !wantsMore) return answer
    await answer.body?.cancel()
    throw await access.ended({ status: answer.status, header }, token)
  }
}
