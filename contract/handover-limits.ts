/** How long an offer of a conversation can be accepted. */
export const HANDOVER_DAYS = 7
/** Characters of what is said with an offer. */
export const HANDOVER_NOTE_LIMIT = 1000
