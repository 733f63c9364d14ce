import { z } from 'zod'
import { bytes, milliseconds, registryAddress, setting, text } from './setting.ts'

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
  REEVE_DATABASE_POOL: setting(
    z.coerce.number().int().min(4).max(500).default(20),
    'With PostgreSQL: connections that this process opens at most, besides the one that listens. All processes together stay below `max_connections` there.',
  ),
  REEVE_DATABASE_LISTEN_URL: setting(
    z.union([z.literal(''), z.string().regex(/^postgres(ql)?:\/\//, 'must begin with postgres://')]).default(''),
    'If `REEVE_DATABASE_URL` is a pooler such as pgbouncer in transaction mode: address of PostgreSQL itself, for listening, migrations and backups.',
  ),
  REEVE_FILES_URL: setting(
    z.union([z.literal(''), z.string().regex(/^s3:\/\//, 'must begin with s3://')]).default(''),
    'S3-compatible store for stored files and packages of modules, instead of the data folder: `s3://bucket/prefix?endpoint=https://…&region=…&path_style=true&timeout=15`. Without `endpoint` it is Amazon; `path_style` is `true` for other endpoints; `timeout`: seconds without a byte, 15 unless set, after which a transfer has failed.',
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
  REEVE_MODULE_PACKED: setting(
    bytes('256MiB', '4GiB'),
    'Maximum size of a bundle as it is installed. 256 MiB unless set.',
  ),
  REEVE_MODULE_UNPACKED: setting(
    bytes('1GiB', '64GiB'),
    'Maximum size of all files of a bundle together. 1 GiB unless set.',
  ),
  REEVE_MODULE_START: setting(
    z.coerce.number().int().min(1).max(600).default(15),
    'Seconds that a module may take from its start until it has answered and told what it offers. Checking its files does not count. 15 unless set.',
  ),
  REEVE_NPM_REGISTRY: setting(
    registryAddress,
    'Address of the registry from which administrators add modules by the name of an npm package: the public one, or a mirror, which may be in a private network. `off`: none is asked. A registry is asked only when an administrator adds a module or looks for updates.',
  ),
  REEVE_NPM_TOKEN: setting(
    text,
    'Token for that registry, sent to it and to nobody else: as `Authorization: Bearer …`, or as Basic where it is `user:password`.',
  ),
  REEVE_PYPI_INDEX: setting(
    registryAddress,
    'Address of the index from which administrators add modules by the name of a Python package, such as `https://index.example/simple/`: the public one, or a mirror that answers in JSON (PEP 691), which may be in a private network. Needs `python3` and pip 23 or newer on the machine. `off`: none is asked. An index is asked only when an administrator adds a module or looks for updates.',
  ),
  REEVE_PYPI_TOKEN: setting(
    text,
    'Token for that index, sent to it and to nobody else: as `Authorization: Bearer …`, or as Basic where it is `user:password`.',
  ),
  REEVE_MCP_REGISTRY: setting(
    registryAddress,
    'Address of an MCP registry in which administrators search for servers: the public one, or another of the same interface, which may be in a private network. The words that somebody searches for are sent to it, and nothing else. `off`: none is asked.',
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
  REEVE_DRAIN: setting(
    z.coerce.number().int().min(0).max(300).default(0),
    'Seconds between being told to stop and refusing connections: `/readyz` says 503 meanwhile, and everything else is still served. With a balancer in front: a little longer than it takes to notice, such as 5.',
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
  REEVE_AI_REQUEST: setting(
    z.string().default(''),
    'How requests are made, as JSON with any of `headers` and `query` (lists of `{"name", "value"}`; `{key}` in a header stands for the key), `max_output_tokens`, `effort` (`none` to `xhigh`), `cache` (Anthropic), `count_tokens` (`false` for servers that refuse `stream_options`) and `ollama` (`true` for Ollama, whose context is then set to `REEVE_AI_CONTEXT_TOKENS`).',
  ),
  REEVE_AI_TITLES: setting(
    z.enum(['true', 'false']).default('true'),
    'Whether an engine names conversations after their first exchange, unless that is set in the pages.',
  ),
} as const
