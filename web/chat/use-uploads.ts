import { useCallback, useRef, useState } from 'react'
import type { FileEntry } from '../../contract/files.ts'
import { uploadFile } from './upload-file.ts'

/** A file on its way to the server, or one that did not get there. */
export interface Upload {
  readonly id: number
  readonly name: string
  /** 0 to 1. */
  readonly share: number
  readonly error: unknown
  readonly file: File
}

export interface Uploads {
  readonly uploads: readonly Upload[]
  add(files: readonly File[]): void
  /** Stops an upload, or removes a failed one. */
  remove(id: number): void
  retry(id: number): void
}

/** Uploads for the message box; a file that has arrived goes to `onArrived` with the conversation where it was added. */
export function useUploads(
  conversationId: string | null,
  onArrived: (conversationId: string | null, file: FileEntry) => void,
): Uploads {
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const running = useRef(new Map<number, AbortController>())
  const nextId = useRef(1)

  const drop = useCallback((id: number) => setUploads((before) => before.filter((upload) => upload.id !== id)), [])
  const start = useCallback(
    async (file: File) => {
      const id = nextId.current++
      const abort = new AbortController()
      const patch = (change: Partial<Upload>): void =>
        setUploads((before) => before.map((upload) => (upload.id === id ? { ...upload, ...change } : upload)))
      running.current.set(id, abort)
      setUploads((before) => [...before, { id, name: file.name, share: 0, error: null, file }])
      try {
        onArrived(conversationId, await uploadFile(file, (share) => patch({ share }), abort.signal))
        drop(id)
      } catch (error) {
        if (!abort.signal.aborted) patch({ error })
      } finally {
        running.current.delete(id)
      }
    },
    [conversationId, onArrived, drop],
  )

  const add = useCallback((files: readonly File[]) => files.forEach((file) => void start(file)), [start])
  const remove = useCallback(
    (id: number) => {
      running.current.get(id)?.abort()
      drop(id)
    },
    [drop],
  )
  const retry = (id: number): void => {
    const failed = uploads.find((upload) => upload.id === id)
    drop(id)
    if (failed) void start(failed.file)
  }
  return { uploads, add, remove, retry }
}
