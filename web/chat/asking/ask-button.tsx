import { MessageCircleQuestionMark } from 'lucide-react'
import { IconButton } from '../../parts/controls/icon-button.tsx'
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
  return (
    <IconButton
      label={t('chat.ask_about')}
      icon={MessageCircleQuestionMark}
      size={size}
      onClick={() => void (async () => ask(await about()))()}
    />
  )
}
