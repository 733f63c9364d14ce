/** Characters of a message. */
export const MESSAGE_LIMIT = 100_000
/** Files of a message. */
export const ATTACHMENT_LIMIT = 20
