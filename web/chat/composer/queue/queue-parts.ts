import { QueuePanel } from './queue-panel.tsx'
import { queueDraft, stopRun } from './send-during-run.ts'

/** What the message box needs for queued messages, as one chunk. */
export const queueParts = { QueuePanel, queueDraft, stopRun }
