import { useCallback, useEffect, useState } from 'react'
import type { FileEntry } from '../../contract/files.ts'
import { type Draft, emptyDraft, readDraft, writeDraft } from './draft.ts'

export interface DraftHandle {
  readonly draft: Draft
  /** A change of text or files makes it another message: the key of an earlier attempt is forgotten unless given. */
  change(patch: Partial<Draft>): void
  /** Adds an uploaded file to the draft of the conversation where its upload began, shown or not. */
  addFile(conversationId: string | null, file: FileEntry): void
  /** The server has accepted the draft of this conversation, shown or not. */
  clear(conversationId: string | null): void
}

interface Held {
  readonly conversationId: string | null
  readonly draft: Draft
}

/** The draft of the shown conversation, stored at every change. */
export function useDraft(conversationId: string | null): DraftHandle {
  const [stored, setHeld] = useState<Held>(() => ({ conversationId, draft: readDraft(conversationId) }))
  let held = stored
  if (held.conversationId !== conversationId) {
    held = { conversationId, draft: readDraft(conversationId) }
    setHeld(held)
  }
  useEffect(() => writeDraft(stored.conversationId, stored.draft), [stored])

  const change = useCallback((patch: Partial<Draft>) => {
    setHeld((before) => ({ ...before, draft: { ...before.draft, key: null, ...patch } }))
  }, [])
  const addFile = useCallback((id: string | null, file: FileEntry) => {
    setHeld((before) => {
      const draft = before.conversationId === id ? before.draft : readDraft(id)
      const added = {
        ...draft,
        files: [...draft.files.filter((other) => other.file_id !== file.file_id), file],
        key: null,
      }
      if (before.conversationId === id) return { ...before, draft: added }
      writeDraft(id, added)
      return before
    })
  }, [])
  const clear = useCallback((id: string | null) => {
    writeDraft(id, emptyDraft)
    setHeld((before) => (before.conversationId === id ? { ...before, draft: emptyDraft } : before))
  }, [])
  return { draft: held.draft, change, addFile, clear }
}
