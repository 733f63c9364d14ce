import { z } from 'zod'
import { Capabilities } from './capabilities.ts'
import { Isolation, ModuleKind, ModuleState, SecretState, SettingValue, Signature } from './module-values.ts'
import { Timestamp } from './values.ts'

export const HealthCheck = z.strictObject({
  name: z.string(),
  status: z.enum(['healthy', 'degraded', 'unhealthy', 'disabled']),
  message: z.string(),
  duration_ms: z.int(),
  /** What to do about it. */
  fix: z.string().optional(),
})
export const ModuleHealth = z.strictObject({
  status: z.enum(['healthy', 'degraded', 'unhealthy', 'disabled']),
  checks: z.array(HealthCheck),
  checked_at: Timestamp,
})
export type ModuleHealth = z.infer<typeof ModuleHealth>

/** Everything that helps to diagnose a fault, with secrets masked by their value. */
export const ModuleDiagnostics = z.strictObject({
  name: z.string(),
  display_name: z.string(),
  version: z.string(),
  kind: ModuleKind,
  state: ModuleState,
  problem: z.string().nullable(),
  reeve_version: z.string(),
  taken_at: Timestamp,
  manifest_digest: z.string().nullable(),
  /** Files checked against their digests from the installation, with the names of those that differ. */
  integrity: z.strictObject({
    checked: z.int(),
    modified: z.array(z.string()),
    missing: z.array(z.string()),
    added: z.array(z.string()),
  }),
  signature: Signature.nullable(),
  isolation: Isolation,
  grants: Capabilities,
  protocol: z.strictObject({ era: z.string(), server: z.string(), capabilities: z.array(z.string()) }).nullable(),
  process: z
    .strictObject({
      pid: z.int(),
      uptime_ms: z.int(),
      /** Bytes that all its processes use together. */
      memory: z.int(),
      processes: z.int(),
      /** Lines on its standard output that weren't protocol messages. */
      noise_lines: z.int(),
    })
    .nullable(),
  limits: z.strictObject({ memory: z.int(), call_ms: z.int(), start_ms: z.int() }),
  restarts: z.int(),
  last_exits: z.array(
    z.strictObject({ at: Timestamp, code: z.int().nullable(), signal: z.string().nullable(), reason: z.string() }),
  ),
  /** Newest first. */
  state_history: z.array(z.strictObject({ at: Timestamp, state: ModuleState, problem: z.string().nullable() })),
  settings: z.record(z.string(), z.union([SettingValue, SecretState])),
  tools: z.array(z.strictObject({ name: z.string(), definition_hash: z.string(), pin: z.string() })),
  stderr: z.array(z.string()),
})
export type ModuleDiagnostics = z.infer<typeof ModuleDiagnostics>
