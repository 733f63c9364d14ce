import { z } from 'zod'
import { Capabilities } from './capabilities.ts'
import { IconAddresses } from './icons.ts'
import { LaunchExtras } from './launch-extras.ts'
import { LogLevel, MemoryMib } from './module-limits.ts'
import { ModuleRule, Reach } from './module-access.ts'
import { ModuleInstructions, ModuleTool } from './module-offer.ts'
import { ModuleConnection } from './module-connection.ts'
import { ModuleRuns } from './module-runs.ts'
import { Ok, Timestamp } from './values.ts'

export * from './capabilities.ts'
export * from './launch-extras.ts'
export * from './module-offer.ts'
export * from './module-limits.ts'
export * from './module-runs.ts'

/** Slug of a module: lower-case letters, digits and hyphens. */
export const ModuleName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/)

/**
 * `retrying`: it exited or lost its connection, and is restarted after a pause; `failed`: that happened so often that
 * only a person can start it again; `needs_review`: its files are not what was installed, or it requests more than was
 * agreed to; `degraded`: it runs with a problem.
 */
export const ModuleState = z.enum([
  'disabled',
  'needs_configuration',
  'starting',
  'running',
  'degraded',
  'retrying',
  'failed',
  'incompatible',
  'needs_review',
])
export type ModuleState = z.infer<typeof ModuleState>

/** `builtin`: part of this program, in its process. `remote`: on another machine, reached by its address. */
export const ModuleKind = z.enum(['builtin', 'bundle', 'remote'])

/** How a module is isolated, and why not better. The first four levels are ordered, best first. */
export const Isolation = z.strictObject({
  level: z.enum(['isolated', 'restricted', 'guarded', 'process', 'builtin', 'remote']),
  reason: z.string(),
})
export type Isolation = z.infer<typeof Isolation>
export const IsolationLevel = z.enum(['isolated', 'restricted', 'guarded', 'process'])
export type IsolationLevel = z.infer<typeof IsolationLevel>

export const ModuleEntry = z.strictObject({
  name: z.string(),
  display_name: z.string(),
  version: z.string(),
  kind: ModuleKind,
  builtin: z.boolean(),
  reach: Reach,
  state: ModuleState,
  /** Why it is in this state, in a sentence; null when the state says it all. */
  problem: z.string().nullable(),
  description: z.string(),
  icon_url: z.string().nullable(),
  /** The same for each theme; absent where it has none. */
  icon: IconAddresses.optional(),
  tools_count: z.int(),
  /** Number of tools that are new or differ from what was agreed to; they ask before each call. */
  changed_tools: z.int(),
  isolation: Isolation,
  /** What a bundle was packed from; null: it came as it is. */
  source: z
    .strictObject({ kind: z.enum(['npm', 'pypi']), name: z.string() })
    .nullable()
    .optional(),
  /** When this version of it was installed; null: it came with the program. */
  changed_at: Timestamp.nullable().optional(),
  /** The version before this one, if it is kept. */
  previous_version: z.string().nullable().optional(),
})
export type ModuleEntry = z.infer<typeof ModuleEntry>

/** `untrusted`: a valid signature by an unknown signer. `invalid`: the bytes are not what was signed. */
export const Signature = z.strictObject({
  state: z.enum(['unsigned', 'invalid', 'untrusted', 'trusted']),
  /** Name in the signer's certificate, and its SHA-256 fingerprint; null when unsigned. */
  signer: z.string().nullable(),
  fingerprint: z.string().nullable(),
  detail: z.string(),
})
export type Signature = z.infer<typeof Signature>

export const ModuleWarning = z.strictObject({
  code: z.string(),
  level: z.enum(['info', 'warn', 'danger']),
  message: z.string(),
})
export type ModuleWarning = z.infer<typeof ModuleWarning>

/** What enabling agrees to. Settings appear as `${user_config.key}`, never as their value. */
export const ModuleReview = z.strictObject({
  command: z.string(),
  args: z.array(z.string()),
  env_keys: z.array(z.string()),
  /** What the bundle requests; empty for bundles that don't declare it. */
  capabilities: Capabilities,
  /** As declared by the bundle; not verified before it runs. */
  tools: z.array(z.strictObject({ name: z.string(), description: z.string() })),
  tool_changes: z.array(z.strictObject({ name: z.string(), change: z.enum(['added', 'removed', 'changed']) })),
  signature: Signature,
  warnings: z.array(ModuleWarning),
})
export type ModuleReview = z.infer<typeof ModuleReview>

export const SettingValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])
export type SettingValue = z.infer<typeof SettingValue>
export const SettingField = z.strictObject({
  key: z.string(),
  type: z.enum(['string', 'number', 'boolean', 'directory', 'file']),
  title: z.string(),
  description: z.string(),
  required: z.boolean(),
  /** Write-only: its value is never returned. */
  sensitive: z.boolean(),
  /** The value is a list of strings. */
  multiple: z.boolean(),
  /** Shown as a text area. */
  multiline: z.boolean(),
  enum: z.array(z.strictObject({ value: z.string(), label: z.string() })).optional(),
  /** A regular expression that the whole value must match. */
  pattern: z.string().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  default: SettingValue.optional(),
  /** The heading it appears under. */
  group: z.string().optional(),
})
export type SettingField = z.infer<typeof SettingField>
export const SecretState = z.strictObject({ configured: z.boolean(), updated_at: Timestamp.nullable() })
export const ModuleSettings = z.strictObject({
  fields: z.array(SettingField),
  /** By key: the value, or for a secret whether it is set. Keys without a value are left out. */
  values: z.record(z.string(), z.union([SettingValue, SecretState])),
})
export type ModuleSettings = z.infer<typeof ModuleSettings>

export const ModuleVersion = z.strictObject({
  version: z.string(),
  digest: z.string(),
  size: z.int(),
  installed_at: Timestamp,
  signature: Signature,
  current: z.boolean(),
})
export const ModuleHistoryEntry = z.strictObject({
  at: Timestamp,
  actor: z.string(),
  action: z.string(),
  outcome: z.enum(['ok', 'refused', 'failed']),
  details: z.record(z.string(), z.unknown()),
})
export const ModulePrompt = z.strictObject({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  arguments: z.array(z.strictObject({ name: z.string(), description: z.string(), required: z.boolean() })),
})
export type ModulePrompt = z.infer<typeof ModulePrompt>

export const ModuleDetail = ModuleEntry.extend({
  long_description: z.string(),
  author: z.string(),
  license: z.string().nullable(),
  /** http(s) addresses only. */
  homepage: z.string().nullable(),
  documentation: z.string().nullable(),
  enabled: z.boolean(),
  /** Address of a remote module. */
  url: z.string().nullable(),
  connection: ModuleConnection.nullable(),
  /** Null for built-in and remote modules. */
  review: ModuleReview.nullable(),
  /** Every rule that applies to its tools, whenever it was created. */
  rules: z.array(ModuleRule),
  /**
   * Rules that allowed its tools before it was removed, and the backup to restore them from; null when there are none.
   */
  kept_rules: z.strictObject({ backup: z.string(), rules: z.array(ModuleRule) }).nullable(),
  /** What it may reach now. */
  grants: Capabilities,
  /** From which level on it is to tell what it does; null: as it decides. Absent where it does not log by the protocol. */
  log_level: LogLevel.nullable().optional(),
  extras: LaunchExtras,
  /**
   * Bytes that its processes use together (null while it is down), and the limit and its origin. Null for built-in and
   * remote modules.
   */
  memory: z
    .strictObject({
      used: z.int().nullable(),
      limit: z.int(),
      /** Its own limit; null when `policy_mib` applies. */
      own_mib: z.int().nullable(),
      policy_mib: z.int(),
    })
    .nullable(),
  /** Null for built-in and remote modules, and on the embedded database, which one process has for itself. */
  runs: ModuleRuns.nullable(),
  tools: z.array(ModuleTool),
  /** Null while it isn't running, or if it says nothing. */
  instructions: ModuleInstructions.nullable(),
  prompts: z.array(ModulePrompt),
  /** Installed versions, the current one first; the others are kept for rolling back. */
  versions: z.array(ModuleVersion),
  /** Newest first, at most 50. */
  history: z.array(ModuleHistoryEntry),
  installed_at: Timestamp.nullable(),
  /** Milliseconds since it came up; null while it is down. */
  uptime_ms: z.int().nullable(),
  restarts: z.int(),
  /** Last lines of its standard error, secrets masked. */
  log: z.array(z.string()),
})
export type ModuleDetail = z.infer<typeof ModuleDetail>

/** Requirements for every installed module. */
export const ModulePolicy = z.strictObject({
  /** The least isolation with which a bundle may run, by whether its signature is trusted; remote modules have none. */
  least_isolation: z.strictObject({ trusted: IsolationLevel, untrusted: IsolationLevel }),
  /** MiB that the processes of one module may use together before the module is stopped. */
  memory_mib: MemoryMib,
  /** Certificates whose signatures are trusted, by SHA-256 fingerprint in lower-case hexadecimal digits. */
  signers: z
    .array(z.strictObject({ fingerprint: z.string().regex(/^[0-9a-f]{64}$/), name: z.string().max(200) }))
    .max(100),
})
export type ModulePolicy = z.infer<typeof ModulePolicy>

export const ModuleParams = z.object({ module_name: ModuleName })
export const ModuleCatalog = z.array(ModuleEntry)
/** The answer of a route that changed one module. */
export const ModuleChanged = z.strictObject({ ok: Ok, module: ModuleDetail, catalog: ModuleCatalog })
