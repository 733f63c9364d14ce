import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { FileRef } from '../../../contract/files.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { FileLink } from './file-link.tsx'

interface MessageEditorProps {
  readonly text: string
  /** Files of the message, sent along unchanged. */
  readonly files: readonly FileRef[]
  /** Rejects with the reason for a refusal, which is shown here. */
  onSend(text: string): Promise<void>
  onCancel(): void
}

/** Edits a sent message: Enter sends, Escape cancels. */
export function MessageEditor({ text, files, onSend, onCancel }: MessageEditorProps) {
  const [changed, setChanged] = useState(text)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    box.current?.focus()
    box.current?.setSelectionRange(text.length, text.length)
  }, [text])
  useLayoutEffect(() => {
    const area = box.current
    if (!area) return
    area.style.height = 'auto'
    area.style.height = `${area.scrollHeight}px`
  }, [changed])
  const ready = changed.trim() !== '' && !busy
  const send = async (): Promise<void> => {
    setBusy(true)
    try {
      await onSend(changed)
    } catch (thrown) {
      setError(thrown)
      setBusy(false)
      box.current?.focus()
    }
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    // 229: a key consumed by an input method.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return
    if (event.key === 'Escape') {
      event.preventDefault()
      onCancel()
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      if (ready) void send()
    }
  }
  return (
    <section aria-label={t('chat.edit')} className="space-y-2">
      {error !== null && <ErrorNotice title={t('chat.not_sent')} error={error} />}
      <div className="rounded-xl border border-line-strong bg-surface shadow-sm focus-within:border-accent">
        {files.length > 0 && (
          <div className="flex flex-wrap gap-2 px-3 pt-3">
            {files.map((file) => (
              <FileLink key={file.file_id} file={file} />
            ))}
          </div>
        )}
        <textarea
          ref={box}
          value={changed}
          rows={1}
          readOnly={busy}
          enterKeyHint="send"
          aria-label={t('chat.edit_message')}
          onChange={(event) => setChanged(event.target.value)}
          onKeyDown={onKeyDown}
          className="block max-h-[40dvh] w-full resize-none overflow-y-auto bg-transparent px-3.5 py-2.5 text-[0.9375rem] leading-6 outline-none max-sm:text-[1rem]"
        />
        <div className="flex items-center gap-2 px-2 pb-2">
          <p className="min-w-0 flex-1 truncate ps-1.5 text-xs text-muted">{t('chat.edit_hint')}</p>
          <Button size="sm" variant="ghost" onClick={onCancel}>
            {t('action.cancel')}
          </Button>
          <Button size="sm" variant="primary" busy={busy} disabled={!ready} onClick={() => void send()}>
            {t('chat.send')}
          </Button>
        </div>
      </div>
    </section>
  )
}
