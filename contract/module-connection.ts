import { z } from 'zod'
import { Timestamp } from './values.ts'

/** `never`: nobody has connected it yet; `disconnected`: it was connected, and has to be again. */
export const ConnectionStatus = z.enum(['never', 'connected', 'disconnected'])
/** How a module is connected by OAuth. */
export const ModuleConnection = z.strictObject({
  /** `person`: each person connects, and this connection lists the tools. */
  sign_in: z.enum(['shared', 'person']),
  status: ConnectionStatus,
  /** Where one signs in; null before the first time. */
  issuer: z.string().nullable(),
  connected_at: Timestamp.nullable(),
  /** What is wrong with it, in a sentence, though it may be connected: the server wants more than was granted. */
  problem: z.string().nullable().optional(),
})
