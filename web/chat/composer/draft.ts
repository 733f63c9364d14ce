import type { FileEntry } from '../../../contract/files.ts'

/** The content of one conversation's message box, kept in this browser until the server has accepted it. */
export interface Draft {
  readonly text: string
  /** Files already uploaded. */
  readonly files: readonly FileEntry[]
  /**
   * Idempotency key of the last attempt to send exactly this. Kept so that resending after a lost response attaches to
   * the run that may have started; changing the text creates a new one.
   */
  readonly key: string | null
  /** The content that was in the box when a quick command was sent immediately; it is put back after sending. */
  readonly aside?: Pick<Draft, 'text' | 'files'>
}

export const emptyDraft: Draft = { text: '', files: [], key: null }

/** `conversationId` null: the conversation that the first message will create. */
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
    // Storage is full or blocked: the text is still in the box.
  }
}

/** The content of the box after this draft is sent: what was set aside for it, or nothing. */
export function draftAfter({ aside }: Draft): Draft {
  return aside === undefined ? emptyDraft : { ...emptyDraft, ...aside }
}

/** A message to send instead of the box's content, which is set aside. */
export function draftInstead(before: Draft, text: string): Draft {
  const { text: old, files, aside } = before
  if (old.trim() === '' && files.length === 0) return { text, files: [], key: null, ...(aside && { aside }) }
  // Only one draft can be set aside: an older one is kept in the box below the newer one.
  const kept = aside ? { text: joinTexts(old, aside.text), files: [...files, ...aside.files] } : { text: old, files }
  return { text, files: [], key: null, aside: kept }
}

/** Both texts, separated by a blank line. */
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
