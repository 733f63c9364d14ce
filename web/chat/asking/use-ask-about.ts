import { useQuery } from '@tanstack/react-query'
import type { FileEntry } from '../../../contract/files.ts'
import { explainError } from '../../client/explain-error.ts'
import { sessionQuery } from '../../client/queries.ts'
import { toast } from '../../parts/feedback/toast.tsx'
import { t } from '../../text/i18n.ts'
import { uploadFile } from '../../uploads/upload-file.ts'
import { addFile } from '../composer/use-draft.ts'
import { useToMessageBox } from '../composer/use-to-message-box.ts'

/** What a question is about: a stored file, or a text that becomes one of this name. */
export type AskedAbout = FileEntry | { readonly name: string; readonly text: string }

/**
 * Opens a new conversation with something attached and the caret in its message box; nothing is sent. A text is uploaded
 * like any file, so that limits and permissions are the same, and a refusal is told. Null for those whose role cannot.
 */
export function useAskAbout(): { file: Ask | null; text: Ask | null } {
  const toMessageBox = useToMessageBox()
  const permissions = useQuery(sessionQuery).data?.user.permissions
  const may = (permission: string): boolean => permissions?.[permission] !== 'deny'
  if (!may('codex.use')) return { file: null, text: null }
  const ask: Ask = async (about) => {
    try {
      // The box comes with the file in it: a message sent before it arrived would go without it.
      addFile(null, 'text' in about ? await upload(about) : about)
      toMessageBox({ text: '', target: 'new', send: false })
    } catch (error) {
      toast({ text: t('files.not_uploaded', { name: about.name, why: explainError(error) }), tone: 'danger' })
    }
  }
  return { file: ask, text: may('files.create') ? ask : null }
}

type Ask = (about: AskedAbout) => Promise<void>

/** In characters; a longer name of something is cut. */
const NAME = 100

function upload({ name, text }: Extract<AskedAbout, { text: string }>): Promise<FileEntry> {
  const [, stem = name, extension = ''] = /^(.*?)(\.\w{1,8})?$/s.exec(name) ?? []
  const plain = stem.replaceAll(/[\p{Cc}/\\:*?"<>|]+/gu, ' ').trim()
  const file = new File([text], `${plain.slice(0, NAME).trim()}${extension}`, { type: 'text/plain' })
  return uploadFile(file, () => undefined, new AbortController().signal)
}
