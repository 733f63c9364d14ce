import { say, type Sentence } from '../../kernel/sentence.ts'
import { ModuleProblem } from './module-problem.ts'

/** The tokens with which one person, or everybody, uses a remote server. */
export interface RemoteAccess {
  /** The token to send now; renewed before it expires. @throws {NotConnected} */
  token(): Promise<string>
  /** Another one, because the server does not take `refused` any more. @throws {NotConnected} */
  renewed(refused: string): Promise<string>
  /** The server wants more than was granted, or takes none of its tokens: somebody has to agree anew. */
  ended(challenge: Challenge, token: string): Promise<NoAccess>
}

/** What a refusal of the server says about how to get in. */
export interface Challenge {
  readonly status: number
  readonly header: string | null
}

/** What the result of a call begins with that was not begun because nothing lets it in. */
export type AccessCode = 'connection_required' | 'scope_required' | 'access_not_renewed'

/** What was to be sent was not begun, because nothing lets it in. The connection itself may be as good as before. */
export class NoAccess extends ModuleProblem {
  override readonly name: string = 'NoAccess'
  readonly code: AccessCode
  constructor(code: AccessCode, detail: Sentence) {
    super(detail)
    this.code = code
  }
}

/** Somebody has to connect the server first. */
export class NotConnected extends NoAccess {
  override readonly name = 'NotConnected'
  constructor(detail: Sentence = say`The server has to be connected first.`) {
    super('connection_required', detail)
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
