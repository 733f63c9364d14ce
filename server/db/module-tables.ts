/** A module that is installed, or a built-in of which something is known that differs from how it comes. */
export interface ModuleTable {
  module: string
  kind: 'builtin' | 'bundle' | 'remote'
  display_name: string
  /** Address of a remote module. */
  url: string | null
  /** A remote module may be on this machine or in a private network. */
  allow_private: number
  /** The version that runs: `module_version.digest`; null for built-in and remote modules. */
  digest: string | null
  enabled: number
  /** A built-in that was uninstalled: it does not come back by itself. */
  removed: number
  /** JSON: key → value of settings that are no secrets. */
  settings: string
  /** JSON of the contract's Capabilities; null: what the bundle declares. */
  grants: string | null
  /** Hash of what was agreed to at enabling (digest, launch, grants); null before the first time. */
  consent: string | null
  created_at: number
  updated_at: number
}
/** An installed version of a bundle; those that are not current are kept for rollback. */
export interface ModuleVersionTable {
  module: string
  /** SHA-256 of the packed bundle, lower-case hexadecimal digits: the name of the package in the store. */
  digest: string
  version: string
  /** JSON, as it is in the bundle. */
  manifest: string
  /** JSON: path → SHA-256 of its content. */
  files: string
  /** JSON: programs in machine code inside it, as unpacking found them. */
  natives: string
  /** JSON of the contract's Signature. */
  signature: string
  /** Bytes of the packed bundle. */
  size: number
  /** JSON: what the first start found out about the protocol; null before it. */
  probe: string | null
  installed_at: number
}
export interface ModuleSecretTable {
  module: string
  key: string
  /** Sealed by the vault for this module and key. */
  sealed: string
  updated_at: number
}
/** A tool as an administrator agreed to it. */
export interface ModulePinTable {
  module: string
  tool: string
  definition_hash: string
  agreed_at: number
}
/** Settings of the installation that are made in the pages: JSON by key. */
export interface SettingTable {
  key: string
  value: string
  updated_at: number
}
