import type { HandlerInput, Redirection } from '../../../contract/route.ts'
import type { OpenidProblem, signInMethods } from '../../../contract/sign-in-methods.ts'
import type { AccountsContext } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { enterByOpenid } from './openid-account.ts'
import { type OpenidChecks, openProvider, ProviderProblem } from './openid-provider.ts'
import type { OpenidSettings } from './openid-settings.ts'
import { ownPath } from './own-path.ts'

/** Purpose under which the browser's note is sealed while its user is at the provider. */
const PURPOSE = 'openid sign-in'
const NOTE_MS = 10 * 60_000
const CALLBACK = '/api/auth/oidc/callback'

interface Note extends OpenidChecks {
  readonly origin: string
  readonly next: string
  readonly expires_at: number
}

interface OpenidSignIn {
  start(input: HandlerInput<typeof signInMethods.openidStart>): Promise<Redirection>
  callback(input: HandlerInput<typeof signInMethods.openidCallback>): Promise<Redirection>
}

/**
 * Sign-in through an OpenID Connect provider. Nothing is stored until a person is let in: the values that must come
 * back unchanged are sealed in a note in the browser. Any failure ends on the sign-in page, with a reason.
 */
export function openOpenidSignIn(
  context: AccountsContext,
  audit: Audit,
  settings: OpenidSettings | null,
): OpenidSignIn {
  const { db, vault, clock, log } = context
  if (settings === null) {
    const off = () => Promise.resolve(toLogin('openid_off', '/'))
    return { start: off, callback: off }
  }
  const provider = openProvider(settings, clock)

  function readNote(text: string | null): Note | null {
    try {
      return text === null ? null : (JSON.parse(vault.open(PURPOSE, text)) as Note)
    } catch {
      return null
    }
  }

  function problemOf(error: unknown): OpenidProblem {
    if (!(error instanceof ProviderProblem)) throw error
    log.warn({ err: error.cause }, error.message)
    return error.problem === 'refused' ? 'openid_refused' : 'openid_unreachable'
  }

  return {
    async start({ query, client }) {
      const next = ownPath(query.next)
      const { origin } = client
      try {
        const { url, checks } = await provider.begin(origin + CALLBACK, query.again === 'true')
        const note: Note = { ...checks, origin, next, expires_at: clock() + NOTE_MS }
        const text = vault.seal(PURPOSE, JSON.stringify(note))
        return { location: url.href, note: { text, expires_at: note.expires_at } }
      } catch (error) {
        return toLogin(problemOf(error), next)
      }
    },

    async callback({ query, client }) {
      const note = readNote(client.note)
      // Not this browser's, too old, or superseded by another window: the provider is not asked, and nothing is
      // recorded.
      if (note === null || note.expires_at <= clock() || query.state !== note.state || note.origin !== client.origin)
        return { ...toLogin('openid_expired', note?.next ?? '/'), note: null }
      const { next } = note
      try {
        const url = new URL(note.origin + CALLBACK)
        for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value)
        const entered = await enterByOpenid(context, audit, settings, await provider.finish(url, note), client)
        if ('problem' in entered) return { ...toLogin(entered.problem, next), note: null }
        return { location: next, session: entered.session.change, note: null }
      } catch (error) {
        const problem = problemOf(error)
        const details = { username: null, address: client.address, method: 'openid', reason: problem }
        await db.transaction((trx) =>
          audit.record(trx, { actor: null, action: 'login.failed', target: '', outcome: 'refused', details }),
        )
        return { ...toLogin(problem, next), note: null }
      }
    },
  }
}

function toLogin(problem: OpenidProblem, next: string): Redirection {
  const query = new URLSearchParams(next === '/' ? { problem } : { problem, next })
  return { location: `/login?${query.toString()}` }
}
