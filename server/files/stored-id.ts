/** Ids under which bytes are stored, as the server generates them: only matching names become part of a path or key. */
export const STORED_ID = /^fil_[0-9a-z]{16,60}$/
