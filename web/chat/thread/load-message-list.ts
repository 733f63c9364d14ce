/**
 * The messages of a conversation, with all that answers are made of (Markdown, tool cards …): a new conversation is shown
 * without them.
 */
export const loadMessageList = () => import('./message-list.tsx')
