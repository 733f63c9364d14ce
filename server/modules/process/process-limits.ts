/**
 * What the processes of one module may use together. Exceeding a limit stops the module, and the reason names the
 * limit.
 */
export interface ProcessLimits {
  /** Bytes of resident memory of the whole tree. */
  readonly memory_bytes: number
  /** Default 64. */
  readonly processes?: number
  /** Bytes in the module's data folder and its temporary folder, and of any single file. Default 1 GiB. */
  readonly disk_bytes?: number
}

export const DEFAULT_PROCESSES = 64
export const DEFAULT_DISK_BYTES = 1024 * 1024 * 1024
