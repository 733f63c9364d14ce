import type { ClientAuth, Configuration } from 'openid-client'
import type { OpenidPerson } from './openid-person.ts'
import { isOnThisMachine, type OpenidSettings } from './openid-settings.ts'

/** A provider's keys and addresses rarely change; after this time they are read again. */
const KEEP_MS = 60 * 60_000
const TIMEOUT_S = 10
/** A person required to sign in again must have done so within this time. */
const AGAIN_SECONDS = 300

/** Values the provider must return unchanged. */
export interface OpenidChecks {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** The person must sign in there again, not merely be recognised. */
  readonly again: boolean
}

interface OpenidProvider {
  /** The address to send the browser to. @throws {ProviderProblem} */
  begin(redirect_uri: string, again: boolean): Promise<{ url: URL; checks: OpenidChecks }>
  /** The person who returned to `url`, as reported by the provider on a direct connection. @throws {ProviderProblem} */
  finish(url: URL, checks: OpenidChecks): Promise<OpenidPerson>
}

/** `unreachable`: it does not answer; `refused`: it said no, or its answer is invalid. */
export class ProviderProblem extends Error {
  override readonly name = 'ProviderProblem'
  readonly problem: 'unreachable' | 'refused'

  constructor(problem: 'unreachable' | 'refused', cause: unknown) {
    super(`the OpenID Connect provider: ${problem}`, { cause })
    this.problem = problem
  }
}

/**
 * The only file that talks to the provider: authorization code with PKCE, state and nonce. Its library is loaded on
 * first use.
 */
export function openProvider(settings: OpenidSettings, clock: () => number): OpenidProvider {
  let kept: { at: number; configuration: Configuration } | null = null

  async function configure(): Promise<Configuration> {
    if (kept !== null && clock() - kept.at < KEEP_MS) return kept.configuration
    const client = await import('openid-client')
    const configuration = await client.discovery(
      settings.issuer,
      settings.clientId,
      undefined,
      settings.clientSecret === null ? client.None() : await secretAuth(settings.clientSecret),
      {
        timeout: TIMEOUT_S,
        execute: [
          // Otherwise the signature of a token received over TLS is not checked.
          client.enableNonRepudiationChecks,
          ...(isOnThisMachine(settings.issuer) ? [client.allowInsecureRequests] : []),
        ],
      },
    )
    kept = { at: clock(), configuration }
    return configuration
  }

  return {
    begin: (redirect_uri, again) =>
      problemsOf(async () => {
        const client = await import('openid-client')
        const configuration = await configure()
        const checks = {
          state: client.randomState(),
          nonce: client.randomNonce(),
          verifier: client.randomPKCECodeVerifier(),
        }
        const url = client.buildAuthorizationUrl(configuration, {
          redirect_uri,
          scope: settings.scopes,
          state: checks.state,
          nonce: checks.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
          code_challenge_method: 'S256',
          ...(again && { prompt: 'login', max_age: String(AGAIN_SECONDS) }),
        })
        return { url, checks: { ...checks, again } }
      }),

    finish: (url, checks) =>
      problemsOf(async () => {
        const client = await import('openid-client')
        const configuration = await configure()
        const tokens = await client.authorizationCodeGrant(configuration, url, {
          expectedState: checks.state,
          expectedNonce: checks.nonce,
          pkceCodeVerifier: checks.verifier,
          idTokenExpected: true,
          // An answer without the time of sign-in there is refused.
          ...(checks.again && { maxAge: AGAIN_SECONDS }),
        })
        const claims = tokens.claims()!
        // Many providers report names and groups only there.
        const more =
          configuration.serverMetadata().userinfo_endpoint === undefined
            ? {}
            : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        return { issuer: claims.iss, subject: claims.sub, claims: { ...more, ...claims } }
      }),
  }
}

/** The client authentication the provider wants; `client_secret_basic` is the default if it does not say. */
async function secretAuth(secret: string): Promise<ClientAuth> {
  const { ClientSecretBasic, ClientSecretPost } = await import('openid-client')
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)]
  return (server, ...rest) => {
    const known = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (known.includes('client_secret_basic') ? basic : post)(server, ...rest)
  }
}

async function problemsOf<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new ProviderProblem(await kindOf(error), error)
  }
}

async function kindOf(error: unknown): Promise<ProviderProblem['problem']> {
  const { AuthorizationResponseError, ClientError, ResponseBodyError, WWWAuthenticateChallengeError } =
    await import('openid-client')
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) return 'refused'
  if (error instanceof WWWAuthenticateChallengeError) return 'refused'
  const unanswered = ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_ABORT']
  return error instanceof ClientError && !unanswered.includes(error.code ?? '') ? 'refused' : 'unreachable'
}
