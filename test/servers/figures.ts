/** What one server came to. */
export interface Figures {
  readonly package: string
  readonly version: string
  packed_mib?: number
  unpacked_mib?: number
  start_ms?: number
  memory_mib?: number
  level?: string
  tools?: readonly string[]
  call?: string
  /** `result`; `error`: the server's own answer that it cannot; `none`: it did not get so far. */
  outcome: 'result' | 'error' | 'none'
  said: string
}
