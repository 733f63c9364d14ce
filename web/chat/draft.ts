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
  /** What stood in the box when a quick command was to be sent at once; it comes back when that has gone. */
  readonly aside?: Pick<Draft, 'text' | 'files'>
}

export const emptyDraft: Draft = { text: '', files: [], key: null }

/** `conversationId` null: the conversation that the first message will make. */
export function readDraft(conversationId: string | null): Draft {
  try {
    const stored = JSON.parse(localStorage.getItem(storageKey(conversationId)) ?? 'null') as Partial<Draft> | null
    if (!stored || typeof stored.text !== 'string' || !Array.isArray(stored.files)) return emptyDraft
    const { text, files, key, aside } = stored
    return { text, files, key: typeof key === 'string' ? key : null, ...(isContent(aside) && { aside }) }
  } catch {
    return emptyDraft
  }
}

export function writeDraft(conversationId: string | null, draft: Draft): void {
  try {
    if (draft.text === '' && draft.files.length === 0 && draft.aside === undefined)
      localStorage.removeItem(storageKey(conversationId))
    else localStorage.setItem(storageKey(conversationId), JSON.stringify(draft))
  } catch {
    // Full or forbidden storage: the text still stands in the box.
  }
}

/** What is in the box once this draft has gone: what was put aside for it, else nothing. */
export function draftAfter({ aside }: Draft): Draft {
  return aside === undefined ? emptyDraft : { ...emptyDraft, ...aside }
}

/** A message to send instead of what stands in the box, which is put aside. */
export function draftInstead(before: Draft, text: string): Draft {
  const { text: old, files, aside } = before
  if (old.trim() === '' && files.length === 0) return { text, files: [], key: null, ...(aside && { aside }) }
  // Two things cannot wait: the box keeps the older one below the newer one.
  const kept = aside ? { text: joinTexts(old, aside.text), files: [...files, ...aside.files] } : { text: old, files }
  return { text, files: [], key: null, aside: kept }
}

/** Both texts, a line apart. */
export function joinTexts(first: string, second: string): string {
  return [first, second].filter((text) => text.trim() !== '').join('\n\n')
}

function isContent(value: unknown): value is Pick<Draft, 'text' | 'files'> {
  const content = value as Partial<Draft> | null | undefined
  return typeof content?.text === 'string' && Array.isArray(content.files)
}

function storageKey(conversationId: string | null): string {
  return `reeve.draft.${conversationId ?? 'new'}`
}
