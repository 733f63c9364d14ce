import { useCallback, useEffect, useRef, useState } from 'react'
import type { FileEntry } from '../../contract/files.ts'
import { type Draft, draftAfter, emptyDraft, readDraft, writeDraft } from './draft.ts'

export interface DraftHandle {
  readonly draft: Draft
  /** A change of text or files makes it another message: the key of an earlier attempt is forgotten unless given. */
  change(patch: Partial<Draft>): void
  /** Adds an uploaded file to the draft of the conversation where its upload began, shown or not. */
  addFile(conversationId: string | null, file: FileEntry): void
  /**
   * The server has accepted the draft of this conversation, shown or not. What was put aside for it comes back, in the
   * conversation that the message is in.
   */
  clear(conversationId: string | null, acceptedIn: string): void
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
    setHeld((before) => {
      const draft = { ...before.draft, key: null, ...patch }
      // Who empties the box gets back what was put aside.
      return { ...before, draft: patch.text === '' && draft.files.length === 0 ? draftAfter(draft) : draft }
    })
  }, [])
  const left = useRef(false)
  useEffect(() => {
    left.current = false
    return () => void (left.current = true)
  }, [])
  const addFile = useCallback((id: string | null, file: FileEntry) => {
    const withFile = (draft: Draft): Draft => ({
      ...draft,
      files: [...draft.files.filter((other) => other.file_id !== file.file_id), file],
      key: null,
    })
    // What is stored is all there is of a box that is gone: state would not be updated any more.
    if (left.current) return writeDraft(id, withFile(readDraft(id)))
    setHeld((before) => {
      if (before.conversationId === id) return { ...before, draft: withFile(before.draft) }
      writeDraft(id, withFile(readDraft(id)))
      return before
    })
  }, [])
  const clear = useCallback((id: string | null, acceptedIn: string) => {
    const left = draftAfter(readDraft(id))
    if (id === acceptedIn) {
      writeDraft(id, left)
      setHeld((before) => (before.conversationId === id ? { ...before, draft: draftAfter(before.draft) } : before))
      return
    }
    if (left !== emptyDraft) writeDraft(acceptedIn, left)
    writeDraft(id, emptyDraft)
    setHeld((before) => (before.conversationId === id ? { ...before, draft: emptyDraft } : before))
  }, [])
  return { draft: held.draft, change, addFile, clear }
}
