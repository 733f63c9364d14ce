import { ChevronRight } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { formatDuration } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'

interface ReasoningProps {
  readonly text: string
  /** The model is still thinking. */
  readonly active: boolean
  /** Milliseconds, where it is known; omitted, it is shown if this page saw it happen. */
  readonly duration: number | undefined
}

/** The model's reasoning, collapsed until opened, with how long it took. */
export function Reasoning({ text, active, duration }: ReasoningProps) {
  const began = useRef<number | null>(null)
  const [seen, setSeen] = useState<number | null>(null)
  useEffect(() => {
    if (active) began.current ??= Date.now()
    else if (began.current !== null) setSeen(Date.now() - began.current)
  }, [active])
  const took = duration ?? seen
  const label = active
    ? t('chat.thinking')
    : took === null
      ? t('chat.thought')
      : t('chat.thought_for', { time: formatDuration(took) })
  return (
    <details className="group">
      <summary className="flex w-fit list-none items-center gap-1 rounded-md py-0.5 pe-2 text-sm text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 transition-transform duration-100 group-open:rotate-90" />
        <span className={active ? 'animate-pulse' : undefined}>{label}</span>
      </summary>
      <div className="ms-2 mt-1 border-s-2 border-line ps-3.5 text-sm break-words whitespace-pre-wrap text-muted">
        {text}
      </div>
    </details>
  )
}
