import { t } from '../../text/i18n.ts'
import { isMac } from '../../shell/keys/platform.ts'
import { isLearned } from './learned-hints.ts'

interface ComposerHintProps {
  readonly id: string
  readonly run: 'none' | 'active' | 'waiting'
  /** There is text in the box. */
  readonly typed: boolean
  readonly waitsForFiles: boolean
}

/** What the keys do now, until that is known. */
export function ComposerHint({ id, run, typed, waitsForFiles }: ComposerHintProps) {
  return (
    <p id={id} className="min-w-0 flex-1 truncate text-xs text-muted">
      <span className={waitsForFiles ? undefined : 'max-sm:hidden'}>{hint()}</span>
    </p>
  )

  function hint(): string {
    if (waitsForFiles) return t('chat.send_queued')
    if (run === 'none') return isLearned('send') ? '' : t('chat.message_hint')
    if (!typed) return isLearned('queue') ? '' : t('chat.stop_hint')
    return isLearned('queue') ? '' : t('queue.hint', { key: isMac ? '⌘' : t('keys.cap_control') })
  }
}
