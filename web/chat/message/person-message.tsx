import type { Part } from '../../../contract/chat.ts'
import type { FileRef } from '../../../contract/files.ts'
import { classNames } from '../../parts/class-names.ts'
import { t } from '../../text/i18n.ts'
import { FactsPart } from './facts-part.tsx'
import { MessageFile } from './message-file.tsx'

interface PersonMessageProps {
  readonly text: string
  readonly files: readonly FileRef[]
  /** What came with it from elsewhere. */
  readonly facts?: Extract<Part, { type: 'facts' }> | null
  /** Sent, but not yet confirmed by the server. */
  readonly sending?: boolean
}

/** The user's message exactly as typed, without markdown, so that it looks the way it was sent. */
export function PersonMessage({ text, files, facts = null, sending = false }: PersonMessageProps) {
  return (
    <article aria-label={t('chat.from_you')} className="flex flex-col items-end gap-2">
      <h2 className="sr-only">{t('chat.from_you')}</h2>
      {files.map((file) => (
        <MessageFile key={file.file_id} file={file} />
      ))}
      {text !== '' && (
        <div
          className={classNames(
            'max-w-[85%] rounded-xl rounded-ee-sm bg-accent-soft px-3.5 py-2 text-[0.9375rem] leading-6 break-words whitespace-pre-wrap',
            /^\/[\w.-]+/.test(text) && 'font-mono text-sm',
            sending && 'opacity-60',
          )}
        >
          {text.trim()}
        </div>
      )}
      {facts !== null && <FactsPart text={facts.text} source={facts.source} />}
    </article>
  )
}
