import { z } from 'zod'

/** As in syslog, the least severe first. */
export const LogLevel = z.enum(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'])
export type LogLevel = z.infer<typeof LogLevel>

/** Memory limit of one module. */
export const MemoryMib = z.int().min(64).max(65_536)
