import { resolve } from 'node:path'
import type { z } from 'zod'
import { readTlsSetting, type TlsSetting } from '../certificates/tls-setting.ts'
import { type OpenidSettings, readOpenidSettings } from '../accounts/openid/openid-settings.ts'
import { readTrustedProxies, type TrustedProxies } from '../http/request/trusted-proxies.ts'
import { type HeadPlaces, readHeadPlaces } from '../receipts/places.ts'
import { readEngineRequest } from '../ai/engine-request.ts'
import { type EngineSetting, readEngineSetting } from '../ai/engine-setting.ts'
import type { ModuleLimits } from '../modules/spec/module-limits.ts'
import type { S3Address } from '../files/s3/s3-address.ts'
import { filesAddress } from './files-address.ts'
import { ConfigError } from './config-error.ts'
import { SETTINGS } from './settings.ts'
import { parseKey } from '../kernel/vault.ts'

/** Settings as used by the rest of the program; nothing else reads the environment. */
export interface Config {
  readonly host: string
  readonly port: number
  readonly dataFolder: string
  readonly databaseUrl: string | null
  /** PostgreSQL itself, where that is a pooler; else the same. */
  readonly databaseListenUrl: string | null
  /** Connections to PostgreSQL, besides the one that listens. */
  readonly databasePool: number
  /** Where file contents are stored; null: in the data folder. Contains the secret key: never logged. */
  readonly filesAddress: S3Address | null
  /** Folder for the data of modules; null: in the data folder. */
  readonly moduleData: string | null
  readonly moduleLimits: ModuleLimits
  /** The registry that packages of modules are fetched from; null: none is asked. Contains a token: never logged. */
  readonly npm: { readonly url: string; readonly token: string | undefined } | null
  /** The index that Python packages of modules are fetched from; null: none is asked. Contains a token: never logged. */
  readonly pypi: { readonly url: string; readonly token: string | undefined } | null
  /** The registry in which servers are searched for; null: none is asked. */
  readonly mcpRegistry: string | null
  /** Maximum bytes of one stored file, and of all files of one user. */
  readonly files: { readonly sizeLimit: number; readonly quota: number }
  readonly publicUrl: string | null
  readonly tls: TlsSetting
  readonly trustProxy: TrustedProxies
  /** Grants access to /metrics; null: only administrators have it. */
  readonly metricsToken: string | null
  readonly logLevel: string
  /** Days; null: for ever. */
  readonly keepUsage: number
  /** Milliseconds. */
  readonly drain: number
  readonly keepAudit: number | null
  /** Where signed heads of the audit log are sent. Contains a token: never logged. */
  readonly auditHeads: HeadPlaces
  readonly secretKey: string | null
  readonly firstAdmin: { username: string; password: string } | null
  /** An additional way to sign in. Contains the client's secret: never logged. */
  readonly openid: OpenidSettings | null
  readonly ai: EngineSetting | null
  readonly titles: boolean
  /** Whether every answer is checked against the contract: in tests and development. */
  readonly checkAnswers: boolean
}

/** @throws {ConfigError} naming the invalid setting and what it accepts. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  for (const name of Object.keys(env)) {
    if (name.startsWith('REEVE_') && !(name in SETTINGS) && !name.startsWith('REEVE_TEST_')) {
      throw new ConfigError(`There is no setting ${name}. See docs/configuration.md for all settings.`)
    }
  }
  const read: Read = (name) => {
    const parsed = SETTINGS[name].schema.safeParse(env[name] === '' ? undefined : env[name])
    if (!parsed.success)
      throw new ConfigError(`${name} is not usable: ${parsed.error.issues[0]!.message}. ${SETTINGS[name].about}`)
    return parsed.data as z.output<(typeof SETTINGS)[typeof name]['schema']>
  }
  const host = read('REEVE_HOST')
  const username = read('REEVE_ADMIN_USERNAME')
  const password = read('REEVE_ADMIN_PASSWORD')
  if ((username === '') !== (password === ''))
    throw new ConfigError('REEVE_ADMIN_USERNAME and REEVE_ADMIN_PASSWORD are set together or not at all.')
  return {
    host,
    port: read('REEVE_PORT'),
    dataFolder: resolve(read('REEVE_DATA_DIR')),
    databaseUrl: read('REEVE_DATABASE_URL') || null,
    databaseListenUrl: read('REEVE_DATABASE_LISTEN_URL') || read('REEVE_DATABASE_URL') || null,
    databasePool: read('REEVE_DATABASE_POOL'),
    filesAddress: filesAddress(read('REEVE_FILES_URL'), {
      access: read('REEVE_FILES_ACCESS_KEY'),
      secret: read('REEVE_FILES_SECRET_KEY'),
    }),
    moduleData: read('REEVE_MODULE_DATA') || null,
    moduleLimits: {
      packedBytes: read('REEVE_MODULE_PACKED'),
      unpackedBytes: read('REEVE_MODULE_UNPACKED'),
      start_ms: read('REEVE_MODULE_START') * 1000,
    },
    npm:
      read('REEVE_NPM_REGISTRY') === 'off'
        ? null
        : { url: read('REEVE_NPM_REGISTRY'), token: read('REEVE_NPM_TOKEN') || undefined },
    pypi:
      read('REEVE_PYPI_INDEX') === 'off'
        ? null
        : { url: read('REEVE_PYPI_INDEX'), token: read('REEVE_PYPI_TOKEN') || undefined },
    mcpRegistry: read('REEVE_MCP_REGISTRY') === 'off' ? null : read('REEVE_MCP_REGISTRY'),
    files: { sizeLimit: read('REEVE_MAX_FILE'), quota: read('REEVE_QUOTA') },
    publicUrl: read('REEVE_PUBLIC_URL') || null,
    tls: readTls(read, host),
    trustProxy: usable(() => readTrustedProxies(read('REEVE_TRUST_PROXY'))),
    metricsToken: read('REEVE_METRICS_TOKEN') || null,
    logLevel: read('REEVE_LOG_LEVEL'),
    keepUsage: read('REEVE_KEEP_USAGE'),
    drain: read('REEVE_DRAIN') * 1000,
    keepAudit: read('REEVE_KEEP_AUDIT') || null,
    auditHeads: usable(() =>
      readHeadPlaces({
        file: read('REEVE_AUDIT_HEADS_FILE'),
        url: read('REEVE_AUDIT_HEADS_URL'),
        token: read('REEVE_AUDIT_HEADS_TOKEN'),
        syslog: read('REEVE_AUDIT_HEADS_SYSLOG'),
      }),
    ),
    secretKey: readSecretKey(read),
    firstAdmin: username === '' ? null : { username, password },
    openid: readOpenid(read),
    ai: readEngine(read),
    titles: read('REEVE_AI_TITLES') === 'true',
    checkAnswers: env['NODE_ENV'] === 'test' || env['NODE_ENV'] === 'development',
  }
}

type Read = <K extends keyof typeof SETTINGS>(name: K) => z.output<(typeof SETTINGS)[K]['schema']>

function readTls(read: Read, host: string): TlsSetting {
  const [cert, key, names] = [read('REEVE_TLS_CERT'), read('REEVE_TLS_KEY'), read('REEVE_TLS_NAMES')]
  return usable(() =>
    readTlsSetting({ mode: read('REEVE_TLS'), cert, key, names, host, publicUrl: read('REEVE_PUBLIC_URL') }),
  )
}

/** @throws {ConfigError} with the sentence of the parser that rejected the value. */
function usable<T>(readValue: () => T): T {
  try {
    return readValue()
  } catch (error) {
    throw new ConfigError((error as Error).message, { cause: error })
  }
}

function readSecretKey(read: Read): string | null {
  const text = read('REEVE_SECRET_KEY') || null
  if (text !== null) usable(() => parseKey(text, 'REEVE_SECRET_KEY'))
  return text
}

function readOpenid(read: Read): OpenidSettings | null {
  return usable(() =>
    readOpenidSettings({
      issuer: read('REEVE_OIDC_ISSUER'),
      clientId: read('REEVE_OIDC_CLIENT_ID'),
      clientSecret: read('REEVE_OIDC_CLIENT_SECRET'),
      name: read('REEVE_OIDC_NAME'),
      scopes: read('REEVE_OIDC_SCOPES'),
      roleClaim: read('REEVE_OIDC_ROLE_CLAIM'),
      roles: read('REEVE_OIDC_ROLES'),
      defaultRole: read('REEVE_OIDC_DEFAULT_ROLE'),
      link: read('REEVE_OIDC_LINK'),
    }),
  )
}

function readEngine(read: Read): EngineSetting | null {
  return usable(() =>
    readEngineSetting({
      provider: read('REEVE_AI_PROVIDER'),
      base_url: read('REEVE_AI_BASE_URL') || null,
      model: read('REEVE_AI_MODEL'),
      api_key: read('REEVE_AI_API_KEY') || null,
      context_tokens: read('REEVE_AI_CONTEXT_TOKENS'),
      input: read('REEVE_AI_PRICE_INPUT'),
      output: read('REEVE_AI_PRICE_OUTPUT'),
      timeout_ms: read('REEVE_AI_TIMEOUT'),
      idle_timeout_ms: read('REEVE_AI_IDLE_TIMEOUT'),
      request: readEngineRequest(read('REEVE_AI_REQUEST')),
    }),
  )
}
