import { resolve } from 'node:path'
import { z } from 'zod'
import { readTlsSetting, type TlsSetting } from '../certificates/tls-setting.ts'
import { type OpenidSettings, readOpenidSettings } from '../accounts/openid/openid-settings.ts'
import { readTrustedProxies, type TrustedProxies } from '../http/request/trusted-proxies.ts'
import { type HeadPlaces, readHeadPlaces } from '../receipts/places.ts'
import { type EngineSetting, readEngineSetting } from '../ai/engine-setting.ts'
import type { S3Address } from '../files/s3/s3-address.ts'
import { filesAddress } from './files-address.ts'
import { ConfigError } from './config-error.ts'
import { bytes, milliseconds, setting, text } from './setting.ts'
import { parseKey } from '../kernel/vault.ts'

/** Every setting of the service, read from the environment once at start-up. */
export const SETTINGS = {
  REEVE_HOST: setting(z.string().min(1).default('127.0.0.1'), 'Address to listen on.'),
  REEVE_PORT: setting(
    z.coerce.number().int().min(0).max(65535).default(8080),
    'Port to listen on; 0 picks a free one.',
  ),
  REEVE_DATA_DIR: setting(
    z.string().min(1).default('./data'),
    'Folder of the embedded database, stored files and the secret key.',
  ),
  REEVE_DATABASE_URL: setting(
    z.union([z.literal(''), z.string().regex(/^postgres(ql)?:\/\//, 'must begin with postgres://')]).default(''),
    'PostgreSQL to use instead of the embedded SQLite: `postgres://user:password@host/name`.',
  ),
  REEVE_FILES_URL: setting(
    z.union([z.literal(''), z.string().regex(/^s3:\/\//, 'must begin with s3://')]).default(''),
    'S3-compatible store for stored files and packages of modules, instead of the data folder: `s3://bucket/prefix?endpoint=https://…&region=…&path_style=true`. Without `endpoint` it is Amazon; `path_style` is `true` for other endpoints.',
  ),
  REEVE_FILES_ACCESS_KEY: setting(
    text,
    'Access key of that store; the address may have it instead: `s3://key:secret@bucket`.',
  ),
  REEVE_FILES_SECRET_KEY: setting(text, 'Secret key of that store.'),
  REEVE_MODULE_DATA: setting(
    z.union([z.literal(''), z.string().startsWith('/', 'must be an absolute path')]).default(''),
    'Absolute path of a folder for the data of modules, on a volume that all processes on one database share. Empty: in the data folder; with several processes, copies in the S3-compatible store move with a module.',
  ),
  REEVE_MAX_FILE: setting(
    bytes('256MiB', '64GiB'),
    'Maximum size of one stored file: `512MiB`, `2GiB`. 256 MiB unless set.',
  ),
  REEVE_QUOTA: setting(
    bytes('5GiB', '1024TiB'),
    'Maximum size of all stored files of one user, including deleted ones until they are removed after 30 days. 5 GiB unless set.',
  ),
  REEVE_PUBLIC_URL: setting(
    z.union([z.literal(''), z.url({ protocol: /^https?$/ })]).default(''),
    'Address under which people reach the service, if there is a proxy in front of it.',
  ),
  REEVE_TRUST_PROXY: setting(
    text,
    'Whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted: addresses and networks of proxies separated by commas (`127.0.0.1,10.0.0.0/8`), or the number of proxies in front of the service (`1`), if it cannot be reached without passing them. In a chain, the last address that is not one of these proxies is the client.',
  ),
  REEVE_TLS: setting(
    z.enum(['', 'local', 'files', 'off']).default(''),
    '`local`: HTTPS with a certificate of its own authority, whose certificate people import once. `files`: with the certificate in `REEVE_TLS_CERT`. `off`: plain HTTP, for use behind a TLS proxy. Empty: `off` on a loopback address, else `local`.',
  ),
  REEVE_TLS_CERT: setting(
    text,
    'With `REEVE_TLS=files`: path of the certificate in PEM, followed by those that vouch for it. Read again when it changes.',
  ),
  REEVE_TLS_KEY: setting(text, 'With `REEVE_TLS=files`: path of its private key in PEM, without a passphrase.'),
  REEVE_TLS_NAMES: setting(
    text,
    "With `REEVE_TLS=local`: host names and addresses, separated by commas, under which people reach the service, beside the machine's own and that of `REEVE_PUBLIC_URL`.",
  ),
  REEVE_LOG_LEVEL: setting(z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'), 'How much to log.'),
  REEVE_METRICS_TOKEN: setting(
    z
      .string()
      .regex(/^([\x21-\x7e]{16,200})?$/, 'must have 16 to 200 characters')
      .default(''),
    'What a collector sends as `Authorization: Bearer …` to read `/metrics`, 16 to 200 characters. Empty: only access tokens of administrators.',
  ),
  REEVE_KEEP_USAGE: setting(
    z.coerce.number().int().min(62).max(36_500).default(730),
    'Days for which use of the AI engine is kept, by day, user and model.',
  ),
  REEVE_KEEP_AUDIT: setting(
    z.coerce.number().int().min(0).max(36_500).default(0),
    'Days for which entries of the audit log are kept; 0 keeps all of them.',
  ),
  REEVE_AUDIT_HEADS_FILE: setting(
    text,
    'Absolute path of a file to which the signed head of the audit log is appended each day, such as on another disk. Its folder is made if needed.',
  ),
  REEVE_AUDIT_HEADS_URL: setting(
    z.union([z.literal(''), z.url({ protocol: /^https?$/ })]).default(''),
    'Address to which the signed head of the audit log is sent each day (POST, JSON).',
  ),
  REEVE_AUDIT_HEADS_TOKEN: setting(text, 'Sent there as `Authorization: Bearer …`, if it needs one.'),
  REEVE_AUDIT_HEADS_SYSLOG: setting(
    text,
    'Syslog service to which the signed head of the audit log is sent each day (RFC 5424): `udp://host:514` or `tcp://host:514`.',
  ),
  REEVE_SECRET_KEY: setting(
    text,
    'Secret key, 64 hexadecimal digits; made on first start and kept in the data folder when empty.',
  ),
  REEVE_ADMIN_USERNAME: setting(
    text,
    'With `REEVE_ADMIN_PASSWORD`: creates the first administrator on first start, without the setup link.',
  ),
  REEVE_ADMIN_PASSWORD: setting(text, 'Password of that first administrator.'),
  REEVE_OIDC_ISSUER: setting(
    z.union([z.literal(''), z.url({ protocol: /^https?$/ })]).default(''),
    'OpenID Connect provider through which people may also sign in: its issuer, `https://login.example.com/realms/main`. Register the address `<public URL>/api/auth/oidc/callback` there.',
  ),
  REEVE_OIDC_CLIENT_ID: setting(text, 'Name of this service at that provider.'),
  REEVE_OIDC_CLIENT_SECRET: setting(text, 'Its secret there; empty for a public client.'),
  REEVE_OIDC_NAME: setting(text, 'What the button of the sign-in page calls the provider. Empty: its host name.'),
  REEVE_OIDC_SCOPES: setting(
    z.string().default('openid profile email'),
    'Scopes requested from the provider, separated by spaces; some report groups only with `groups` here.',
  ),
  REEVE_OIDC_ROLE_CLAIM: setting(
    z.string().default('groups'),
    'Claim with the groups of a person, or a path to it such as `realm_access.roles`.',
  ),
  REEVE_OIDC_ROLES: setting(
    text,
    'Roles by group: `admins=admin,staff=user`; the first match counts, at each sign-in. Separated by `;`, groups may contain commas. Empty: roles are assigned here.',
  ),
  REEVE_OIDC_DEFAULT_ROLE: setting(text, 'Role of people whose groups match none. Empty: they are refused.'),
  REEVE_OIDC_LINK: setting(
    z.enum(['off', 'username', 'email']).default('off'),
    'Whether a person who comes from the provider for the first time is linked to the existing account of the same name: by `username` (`preferred_username` there) or `email` (a verified address that is the name here). Use it only if people cannot choose that value freely there.',
  ),
  REEVE_AI_PROVIDER: setting(
    z.enum(['openai-compatible', 'openai', 'anthropic', 'google']).default('openai-compatible'),
    'Kind of AI engine.',
  ),
  REEVE_AI_BASE_URL: setting(
    z.union([z.literal(''), z.url({ protocol: /^https?$/ })]).default(''),
    "Address of the engine with its version, such as `http://127.0.0.1:11434/v1`. Needed for `openai-compatible`; the others have their provider's.",
  ),
  REEVE_AI_MODEL: setting(
    text,
    'Name of the model. If set here, this engine is the default; the administration pages show it but cannot change it. Empty: the engines of those pages, or direct mode.',
  ),
  REEVE_AI_API_KEY: setting(text, 'Key of the engine, if it needs one.'),
  REEVE_AI_CONTEXT_TOKENS: setting(
    z.coerce.number().int().min(2000).max(10_000_000).default(128_000),
    'Tokens that fit into one request to the model.',
  ),
  REEVE_AI_PRICE_INPUT: setting(
    z.union([z.literal(''), z.coerce.number().min(0)]).default(''),
    'Price of a million input tokens.',
  ),
  REEVE_AI_PRICE_OUTPUT: setting(
    z.union([z.literal(''), z.coerce.number().min(0)]).default(''),
    'Price of a million output tokens.',
  ),
  REEVE_AI_TIMEOUT: setting(milliseconds(120_000), 'Milliseconds to wait for the first piece of an answer.'),
  REEVE_AI_IDLE_TIMEOUT: setting(milliseconds(60_000), 'Milliseconds to wait between two pieces of an answer.'),
  REEVE_AI_TITLES: setting(
    z.enum(['true', 'false']).default('true'),
    'Whether an engine names conversations after their first exchange, unless that is set in the pages.',
  ),
} as const

/** Settings as used by the rest of the program; nothing else reads the environment. */
export interface Config {
  readonly host: string
  readonly port: number
  readonly dataFolder: string
  readonly databaseUrl: string | null
  /** Where file contents are stored; null: in the data folder. Contains the secret key: never logged. */
  readonly filesAddress: S3Address | null
  /** Folder for the data of modules; null: in the data folder. */
  readonly moduleData: string | null
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
    filesAddress: filesAddress(read('REEVE_FILES_URL'), {
      access: read('REEVE_FILES_ACCESS_KEY'),
      secret: read('REEVE_FILES_SECRET_KEY'),
    }),
    moduleData: read('REEVE_MODULE_DATA') || null,
    files: { sizeLimit: read('REEVE_MAX_FILE'), quota: read('REEVE_QUOTA') },
    publicUrl: read('REEVE_PUBLIC_URL') || null,
    tls: readTls(read, host),
    trustProxy: usable(() => readTrustedProxies(read('REEVE_TRUST_PROXY'))),
    metricsToken: read('REEVE_METRICS_TOKEN') || null,
    logLevel: read('REEVE_LOG_LEVEL'),
    keepUsage: read('REEVE_KEEP_USAGE'),
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
    }),
  )
}
