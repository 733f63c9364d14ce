import type { LogLevel } from '../../../contract/modules.ts'

/** An installed module, or a built-in with stored deviations from its defaults. */
export interface ModuleTable {
  module: string
  kind: 'builtin' | 'bundle' | 'remote'
  display_name: string
  /** Address of a remote module. */
  url: string | null
  /** Whether a remote module may be on this machine or in a private network. */
  allow_private: number
  /** The version that runs: `module_version.digest`; null for built-in and remote modules. */
  digest: string | null
  enabled: number
  /** A built-in that was uninstalled: it doesn't come back by itself. */
  removed: number
  /** JSON: key → value of non-secret settings. */
  settings: string
  /** JSON of the contract's Capabilities; null: what the bundle declares. */
  grants: string | null
  /** Hash of what was agreed to when it was enabled (digest, launch, grants); null before the first time. */
  consent: string | null
  /** MiB of memory for all its processes together; null: the policy's general limit. */
  memory_mib: number | null
  /** What an administrator chose; null: what the bundle says. */
  instances: 'stateless' | 'singleton' | null
  /** From which level on it tells what it does; null: as it decides. */
  log_level: LogLevel | null
  /** `LaunchExtras` without the values of its variables, which are secrets of the module; null: none. */
  extras: string | null
  created_at: number
  updated_at: number
}
/** An installed version of a bundle; those that are not current are kept for rollback. */
export interface ModuleVersionTable {
  module: string
  /** SHA-256 of the packed bundle, lower-case hexadecimal digits. */
  digest: string
  version: string
  /** JSON, as it is in the bundle. */
  manifest: string
  /** JSON: path → SHA-256 of its content. */
  files: string
  /** JSON: the native programs inside it, as found when it was unpacked. */
  natives: string
  /** JSON of the contract's Signature. */
  signature: string
  /** Bytes of the packed bundle. */
  size: number
  /** JSON: what the first start revealed about the protocol; null before it. */
  probe: string | null
  installed_at: number
  /** Id of the package in the store; null: its digest, as versions before 0039 stored it. */
  stored_as: string | null
}
/** A removed module, as a bundle that can be installed again. */
export interface ModuleBackupTable {
  /** File name under which it is offered. */
  backup: string
  module: string
  /** Id of the bundle in the store of packages. */
  stored_as: string
  /** Bytes of it. */
  size: number
  removed_at: number
  /** JSON of a BackupLabel. */
  label: string
}
export interface ModuleSecretTable {
  module: string
  key: string
  /** Sealed by the vault for this module and key. */
  sealed: string
  updated_at: number
}
/** A module that is being fetched, packed and installed, or was. */
export interface ModuleAdditionTable {
  addition_id: string
  /** What was asked for, as people read it. */
  source: string
  /** `stopping`: cancelled, and whoever does it has not noticed yet. */
  state: 'running' | 'stopping' | 'done' | 'failed' | 'cancelled' | 'ended'
  step: 'resolving' | 'fetching' | 'packing' | 'installing'
  done: number
  total: number
  module: string | null
  /** JSON of a packed sentence. */
  problem: string | null
  started_at: number
  /** When the process that does it last said so. */
  seen_at: number
}
/** A tool as an administrator agreed to it. */
export interface ModulePinTable {
  module: string
  tool: string
  definition_hash: string
  agreed_at: number
}
/** Settings of the installation that are made in the administration pages: JSON by key. */
export interface SettingTable {
  key: string
  value: string
  updated_at: number
}

/**
 * Where a module of which there is one (`singleton`) runs, and its data as last kept. The row outlives its owner and the
 * module: the next one goes on with its number and its data. Times are those of the database.
 */
export interface ModuleOwnerTable {
  module: string
  /** Name of the process; null: none runs it. It counts until `lease_until`. */
  owner: string | null
  /** Name of the machine or container, for people. */
  host: string | null
  /** Grows with each owner: what an earlier one still writes does not count. */
  epoch: number
  lease_until: number
  since: number
  /** A process that wants to run it instead, until `wanted_until`. */
  wanted_by: string | null
  wanted_until: number
  /** JSON: what the owner knows about it, for the others; `runtime_number` changes with it. */
  runtime: string | null
  runtime_number: number
  /** The newest complete copy of its data folder in the store; '' for none after its data were deleted. */
  data_id: string | null
  data_at: number | null
  data_size: number | null
  /** JSON of a sentence: why the newest data could not be kept. */
  data_problem: string | null
}
/** A call that waits for, or runs in, the process that owns the module. Deleted by whoever asked. */
export interface ModuleCallTable {
  call_id: string
  module: string
  /** `call`, or what else is asked of the owner. */
  kind: string
  state: 'asked' | 'taken' | 'done'
  /** That of the owner who took it. */
  epoch: number | null
  cancelled: number
  /** Sealed, like `question`, `answer` and `result`. */
  request: string
  progress: string | null
  question: string | null
  answer: string | null
  result: string | null
  /** When whoever asked last looked, by the database's time. */
  seen_at: number
}

/** A connection to a remote module by OAuth. */
export interface ModuleConnectionTable {
  module: string
  /** '' for the one that lists the tools, and that everybody uses unless each person connects; otherwise a user's id. */
  owner: string
  /** With whose account there it goes when this person does; null: with nobody's. */
  user_id: string | null
  issuer: string
  /** Tokens, and how they are renewed: sealed for this module and owner. */
  sealed: string
  scope: string | null
  status: 'connected' | 'disconnected'
  /** JSON of a sentence: why it is not connected any more. */
  problem: string | null
  /** What the server said it wants in addition, for the next time that somebody connects. */
  challenge: string | null
  /** When the token ends, as the process that got it reckons; null: nobody said. */
  expires_at: number | null
  /** Grows with each change: what was renewed from an earlier one does not count. */
  version: number
  /**
   * Until then, by the time of the database, one process renews the tokens and the others wait. Negative: that has just failed in
   * passing, and until then nobody tries again while the tokens still count.
   */
  renewing_until: number
  connected_at: number
}
/** How Reeve is known to an authorization server that let it register, for a module and the address to come back to. */
export interface ModuleClientTable {
  module: string
  issuer: string
  redirect_uri: string
  sealed: string
}
/** Somebody is at the authorization server. Deleted by the answer, which counts once and only in the same session. */
export interface ModuleConnectingTable {
  state_hash: string
  module: string
  owner: string
  user_id: string
  session_id: string
  sealed: string
  expires_at: number
}
