import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { FileEntry } from '../../../contract/files.ts'
import { type Draft, draftAfter, emptyDraft, readDraft, writeDraft } from './draft.ts'

export interface DraftHandle {
  readonly draft: Draft
  /** The current value, which may be newer than the last render. */
  now(): Draft
  /** A change of text or files makes it a different message: the key of an earlier attempt is dropped unless given. */
  change(patch: Partial<Draft>): void
  /** Adds an uploaded file to the draft of the conversation where its upload started, shown or not. */
  addFile(conversationId: string | null, file: FileEntry): void
  /**
   * The server has accepted the draft of this conversation, shown or not. What was set aside for it comes back in the
   * conversation that the message is in.
   */
  clear(conversationId: string | null, acceptedIn: string): void
}

/**
 * Drafts shown by a message box of this tab. Changes stored by another tab do not overwrite what is being typed here.
 */
const shown = new Map<string | null, Draft>()
const watchers = new Map<string | null, Set<() => void>>()

/** The draft of the shown conversation, stored on every change. */
export function useDraft(conversationId: string | null): DraftHandle {
  const watch = useCallback((watcher: () => void) => watchDraft(conversationId, watcher), [conversationId])
  const draft = useSyncExternalStore(watch, () => shownDraft(conversationId))
  return useMemo(
    () => ({
      draft,
      now: () => draftOf(conversationId),
      change: (patch) => change(conversationId, patch),
      addFile,
      clear,
    }),
    [draft, conversationId],
  )
}

function watchDraft(id: string | null, watcher: () => void): () => void {
  const all = watchers.get(id) ?? new Set()
  watchers.set(id, all.add(watcher))
  return () => {
    all.delete(watcher)
    if (all.size > 0) return
    // For a box that is no longer shown, only the stored draft exists.
    watchers.delete(id)
    shown.delete(id)
  }
}

/** The same object until the draft changes. */
function shownDraft(id: string | null): Draft {
  const known = shown.get(id)
  if (known !== undefined) return known
  const stored = readDraft(id)
  shown.set(id, stored)
  return stored
}

function draftOf(id: string | null): Draft {
  return shown.get(id) ?? readDraft(id)
}

function setDraft(id: string | null, draft: Draft): void {
  if (shown.has(id)) shown.set(id, draft)
  writeDraft(id, draft)
  for (const watcher of watchers.get(id) ?? []) watcher()
}

function change(id: string | null, patch: Partial<Draft>): void {
  const draft = { ...draftOf(id), key: null, ...patch }
  // Clearing the box restores what was set aside.
  setDraft(id, patch.text === '' && draft.files.length === 0 ? draftAfter(draft) : draft)
}

/** Adds a stored file to the draft of a conversation, shown or not; null: of a new one. */
export function addFile(id: string | null, file: FileEntry): void {
  const draft = draftOf(id)
  const others = draft.files.filter((other) => other.file_id !== file.file_id)
  setDraft(id, { ...draft, files: [...others, file], key: null })
}

function clear(id: string | null, acceptedIn: string): void {
  const left = draftAfter(draftOf(id))
  if (id === acceptedIn) return setDraft(id, left)
  if (left !== emptyDraft) setDraft(acceptedIn, left)
  setDraft(id, emptyDraft)
}
