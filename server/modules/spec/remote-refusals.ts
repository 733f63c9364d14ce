import { say } from '../../kernel/sentence.ts'
import { ModuleProblem } from './module-problem.ts'

/** A session that the server does not have any more: it has not begun what was sent in it. */
export class SessionExpired extends ModuleProblem {
  override readonly name = 'SessionExpired'
  constructor() {
    super(say`The session with the server is over.`)
  }
}

const SESSION = 'mcp-session-id'
/** How much of a refusal is read to find out what it is about. */
const TEXT_LIMIT = 4096

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>

/** What servers on the earlier official libraries say, with 400, of a session that they do not have. */
const NO_SESSION =
  /^(\s*|.*"message"\s*:\s*")Bad Request: (No valid session ID provided|Server not initialized)("|\s*$)/s

/**
 * Tells a session that has expired from an address that is wrong, and from a call that was looked at: the first is answered
 * with 404, and by earlier servers with a 400 of theirs. Any other 400 is the answer to what was sent.
 */
export function refusals(fetch: Fetch): Fetch {
  return async (input, init) => {
    const answer = await fetch(input, init)
    const inSession = init?.method === 'POST' && new Headers(init.headers).has(SESSION)
    if (!inSession || (answer.status !== 404 && answer.status !== 400)) return answer
    const text = await answer.text().catch(() => '')
    if (answer.status === 404 || NO_SESSION.test(text.slice(0, TEXT_LIMIT))) throw new SessionExpired()
    const { status, statusText, headers } = answer
    return new Response(text, { status, statusText, headers })
  }
}
