/** What the processes of one module may use together. Going over stops the module; the reason says which limit it was. */
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

/** Threads and processes together, where the kernel can count them per sandbox. A Node process has about a dozen threads. */
export const TASK_LIMIT = 1024
/** Open files of one process. */
export const OPEN_FILES_LIMIT = 4096
