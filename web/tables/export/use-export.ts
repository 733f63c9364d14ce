import { useEffect, useRef, useState } from 'react'
import type { TableExport } from '../../../contract/tables.ts'
import { explainError } from '../../client/explain-error.ts'
import { t } from '../../text/i18n.ts'
import { announce } from '../../parts/feedback/announcer.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { exportTable } from './export-table.ts'
import { saveFile } from './save-file.ts'

export interface Exporting {
  /** Bytes received; null when nothing is being exported. */
  readonly bytes: number | null
  start(body: TableExport): void
  cancel(): void
}

/** Exports a table, one at a time, and saves the file. Leaving the page cancels it. */
export function useExport(): Exporting {
  const [bytes, setBytes] = useState<number | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const start = async (body: TableExport): Promise<void> => {
    if (running.current !== null) return
    const abort = new AbortController()
    running.current = abort
    setBytes(0)
    try {
      const file = await exportTable(body, setBytes, abort.signal)
      saveFile(file.name, file.bytes)
      announce(t('tables.exported', { name: file.name }))
    } catch (error) {
      if (!abort.signal.aborted) toast({ text: explainError(error), tone: 'danger' })
    } finally {
      running.current = null
      setBytes(null)
    }
  }
  return { bytes, start: (body) => void start(body), cancel: () => running.current?.abort() }
}
