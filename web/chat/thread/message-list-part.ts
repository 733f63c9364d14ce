import { later } from '../../parts/later.ts'

/**
 * The messages of a conversation, with all that answers are made of (Markdown, tool cards …): a new conversation is shown
 * without them.
 */
export const messageListPart = later(() => import('./message-list.tsx'))
