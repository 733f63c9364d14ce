import type { ClientAuth, Configuration } from 'openid-client'
import type { OpenidPerson } from './openid-person.ts'
import { isLoopback, type OpenidSettings } from './openid-settings.ts'

/** Keys and addresses of a provider change rarely; after this time they are read again. */
const KEEP_MS = 60 * 60_000
const TIMEOUT_S = 10

/** What must come back unchanged from the provider. */
export interface OpenidChecks {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

interface OpenidProvider {
  /** Where to send a browser. @throws {ProviderProblem} */
  begin(redirect_uri: string): Promise<{ url: URL; checks: OpenidChecks }>
  /** Who came back to `url`, as the provider tells on a direct connection. @throws {ProviderProblem} */
  finish(url: URL, checks: OpenidChecks): Promise<OpenidPerson>
}

/** `unreachable`: it does not answer; `refused`: it said no, or what it said does not hold. */
export class ProviderProblem extends Error {
  override readonly name = 'ProviderProblem'
  readonly problem: 'unreachable' | 'refused'

  constructor(problem: 'unreachable' | 'refused', cause: unknown) {
    super(`the OpenID Connect provider: ${problem}`, { cause })
    this.problem = problem
  }
}

/** The one file that talks to the provider: authorization code with PKCE, state and nonce. Its library loads at first use. */
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
          // Else the signature of a token that came over TLS is not looked at.
          client.enableNonRepudiationChecks,
          ...(isLoopback(settings.issuer.hostname) ? [client.allowInsecureRequests] : []),
        ],
      },
    )
    kept = { at: clock(), configuration }
    return configuration
  }

  return {
    begin: (redirect_uri) =>
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
        })
        return { url, checks }
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
        })
        const claims = tokens.claims()!
        // Many providers tell names and groups only there.
        const more =
          configuration.serverMetadata().userinfo_endpoint === undefined
            ? {}
            : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        return { issuer: claims.iss, subject: claims.sub, claims: { ...more, ...claims } }
      }),
  }
}

/** As the provider wants the secret; `client_secret_basic` is what holds where it does not say. */
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
