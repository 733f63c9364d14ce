import { MessageCircleQuestionMark } from 'lucide-react'
import { explainError } from '../../client/explain-error.ts'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { t } from '../../text/i18n.ts'
import { type AskedAbout, useAskAbout } from './use-ask-about.ts'

interface AskButtonProps {
  /** What the question is about, made when it is wanted. */
  about(): AskedAbout | Promise<AskedAbout>
  /** It is stored already, so that nothing is uploaded. */
  readonly stored?: boolean
  readonly size?: 'sm' | 'md'
}

/** "Ask about this": a new conversation with it attached. Renders nothing for those whose role cannot. */
export function AskButton({ about, stored = false, size = 'sm' }: AskButtonProps) {
  const { file, text } = useAskAbout()
  const ask = stored ? file : text
  if (ask === null) return null
  const start = async (): Promise<void> => {
    try {
      await ask(await about())
    } catch (error) {
      toast({ text: explainError(error), tone: 'danger' })
    }
  }
  return (
    <IconButton label={t('chat.ask_about')} icon={MessageCircleQuestionMark} size={size} onClick={() => void start()} />
  )
}
