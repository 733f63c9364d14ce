import type { HostState } from '../../../contract/hosts.ts'

/** A machine. The row `local`, the machine that Reeve runs on, has no way to it: all of that is null. */
export interface HostTable {
  host_id: string
  name: string
  name_folded: string
  /** A host name or an IP address, without brackets. */
  address: string | null
  port: number | null
  account: string | null
  /** The machine through which it is reached; null: directly. */
  jump_host_id: string | null
  /** The pinned host key as it comes over the wire (RFC 4253 §6.6), base64; null: nothing signs in. */
  host_key: string | null
  pinned_at: number | null
  /** Name of the person, as it was then. */
  pinned_by: string | null
  /** Nothing connects to it. */
  disabled_at: number | null
  created_at: number | null
}
export interface HostTagTable {
  host_id: string
  tag: string
}
/** What the last look at a machine found out; no row: nobody has looked since its key was pinned. */
export interface HostStateTable {
  host_id: string
  state: HostState
  /** Why, as a code; null where the state says it all. */
  problem: string | null
  checked_at: number
  /** Of the shortest question and its answer; null where it did not come to that. */
  latency_ms: number | null
  /** JSON of HostFacts, of the last time that somebody could sign in. */
  facts: string | null
  /** JSON of HostHelper: Reeve's program for operations as root, when it was last asked; null: not asked. */
  helper: string | null
  /** The host key that it shows, where that isn't the pinned one: like `host_key`. */
  offered_key: string | null
}
/** A key with which Reeve signs in to machines: one, and two while they are changed. */
export interface SshKeyTable {
  key_id: string
  /** `ssh-ed25519 AAAA… reeve@name`. */
  public_key: string
  /** The private key, sealed; null once it is retired, or when the secret key was lost. */
  sealed: string | null
  created_at: number
  retired_at: number | null
}
/** How a call ended on one of its machines. Of calls that only read, there are rows once all have ended. */
export interface ToolCallHostTable {
  tool_call_id: string
  host_id: string
  /** Of the machine, as it was then. */
  name: string
  /** Of an operation as root, to ask for its end. */
  op_id: string | null
  /** `skipped`: it never began there. */
  status: 'running' | 'done' | 'failed' | 'cancelled' | 'unknown' | 'skipped'
  started_at: number | null
  ended_at: number | null
  /** The beginning of what it said. */
  text: string | null
}
