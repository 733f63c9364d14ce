import { z } from 'zod'

/** As in syslog, the least severe first. */
export const LogLevel = z.enum(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'])
export type LogLevel = z.infer<typeof LogLevel>

/** Memory limit of one module. */
export const MemoryMib = z.int().min(64).max(65_536)
/** Bytes of a bundle: the default, and the highest value that can be set. */
export const MODULE_SIZE_LIMIT = 256 * 1024 * 1024
export const MODULE_SIZE_CEILING = 4 * 1024 ** 3

/** How many tools of a module are used. */
export const MODULE_TOOLS_LIMIT = 5000
