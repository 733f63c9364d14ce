import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import type { Uploads } from '../../uploads/use-uploads.ts'
import { newIdempotencyKey } from './idempotency-key.ts'
import { queuePart } from './queue/queue-part.ts'
import type { DraftHandle } from './use-draft.ts'
import { useLatest } from './use-latest.ts'

interface SubmitOptions {
  readonly conversationId: string | null
  readonly draft: DraftHandle
  readonly uploads: Uploads
  readonly running: boolean
  readonly sending: boolean
  onSend(): void
}

export interface Submit {
  /** There is something to send, and nothing else is on its way. */
  readonly ready: boolean
  /** Sending waits for the files. */
  readonly waitsForFiles: boolean
  /** The run is being stopped, or the message queued. */
  readonly busy: boolean
  /** Why it could neither be queued nor the run stopped; the text is still in the box. */
  readonly error: unknown
  /** Sends the message. During a run it is queued, or with `now` the run is stopped first. */
  submit(now: boolean): void
}

/** Sends what is in the box, as soon as its files are there, and as the run in the conversation allows. */
export function useSubmit({ conversationId, draft, uploads, running, sending, onSend }: SubmitOptions): Submit {
  const { text } = draft.draft
  const uploading = uploads.uploads.length > 0
  /** Of the last attempt to queue exactly this: a repeated one must not queue it twice. */
  const attempt = useRef({ draft: draft.draft, key: '' })
  const during = useMutation({
    mutationFn: async ({ now, into }: { readonly now: boolean; readonly into: string }) => {
      const part = await queuePart.load()
      if (now) return part.stopRun(into)
      const before = draft.now()
      if (attempt.current.draft !== before) attempt.current = { draft: before, key: newIdempotencyKey() }
      await part.queueDraft(into, before, attempt.current.key)
      draft.clear(into, into)
    },
    networkMode: 'always',
    // Whoever has gone elsewhere meanwhile finds the text where it was written.
    onSuccess: (_nothing, { now, into }) => now && into === conversationId && onSend(),
  })
  const here = during.variables?.into === conversationId
  const ready = text.trim() !== '' && !sending && !during.isPending
  // Sending during uploads waits for the last one. A refused file or a changed text cancels it.
  const arrival = useMutation({
    mutationFn: (_wish: { readonly text: string; readonly now: boolean }) => uploads.arrived(),
    networkMode: 'always',
  })
  const waitsForFiles = arrival.isPending && arrival.variables.text === text && ready && uploading
  const perform = (now: boolean): void => {
    // A message with a key may have been sent already: its run is the one that is active.
    if (!running || draft.now().key !== null) onSend()
    else if (conversationId !== null) during.mutate({ now, into: conversationId })
  }
  const performIfStill = useLatest((wanted: string, now: boolean) => {
    if (wanted === text && ready) perform(now)
  })
  const submit = (now: boolean): void => {
    if (!uploading) return ready ? perform(now) : undefined
    if (!waitsForFiles) arrival.mutate({ text, now }, { onSuccess: (all) => all && performIfStill(text, now) })
  }
  return { ready, waitsForFiles, busy: here && during.isPending, error: here ? during.error : null, submit }
}
