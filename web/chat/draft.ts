import type { FileEntry } from '../../contract/files.ts'

/** What stands in the message box of one conversation: kept in this browser until the server has accepted it. */
export interface Draft {
  readonly text: string
  /** Files that are uploaded already. */
  readonly files: readonly FileEntry[]
  /**
   * Idempotency key of the last attempt to send exactly this. Kept, so that sending again after a lost answer attaches to the
   * run that may have started; a change of the text makes a new one.
   */
  readonly key: string | null
}

export const emptyDraft: Draft = { text: '', files: [], key: null }

/** `conversationId` null: the conversation that the first message will make. */
export function readDraft(conversationId: string | null): Draft {
  try {
    const stored = JSON.parse(localStorage.getItem(storageKey(conversationId)) ?? 'null') as Partial<Draft> | null
    if (!stored || typeof stored.text !== 'string' || !Array.isArray(stored.files)) return emptyDraft
    return { text: stored.text, files: stored.files, key: typeof stored.key === 'string' ? stored.key : null }
  } catch {
    return emptyDraft
  }
}

export function writeDraft(conversationId: string | null, draft: Draft): void {
  try {
    if (draft.text === '' && draft.files.length === 0) localStorage.removeItem(storageKey(conversationId))
    else localStorage.setItem(storageKey(conversationId), JSON.stringify(draft))
  } catch {
    // Full or forbidden storage: the text still stands in the box.
  }
}

function storageKey(conversationId: string | null): string {
  return `reeve.draft.${conversationId ?? 'new'}`
}
