import { later } from '../../../parts/later.ts'

/** Queued messages, and what a message is sent with while a run is active: loaded when the first is. */
export const queuePart = later(async () => (await import('./queue-parts.ts')).queueParts)
