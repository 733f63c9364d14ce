import { useRef, useState } from 'react'
import { explainError } from '../client/explain-error.ts'
import { t } from '../text/i18n.ts'
import { toast } from '../parts/feedback/toast.tsx'
import { exportCommands, importCommands } from './command-file.ts'

/** Export, and import with its error. */
export function useCommandFile() {
  const [error, setError] = useState<unknown>(null)
  const onConflict = useRef<'rename' | 'replace'>('rename')
  return {
    error,
    /** What the next import does with a command whose name already exists. */
    prepare(how: 'rename' | 'replace'): void {
      onConflict.current = how
    },
    async load(file: File): Promise<void> {
      setError(null)
      try {
        const { created, renamed, replaced, unchanged } = await importCommands(file, onConflict.current)
        toast({ text: t('commands.imported', { added: created + renamed, replaced, unchanged }), tone: 'ok' })
      } catch (thrown) {
        setError(thrown)
      }
    },
    async save(): Promise<void> {
      try {
        await exportCommands()
      } catch (thrown) {
        toast({ text: explainError(thrown), tone: 'danger' })
      }
    },
  }
}
