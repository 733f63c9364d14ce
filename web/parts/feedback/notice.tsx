import type { ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import { TONES, type Tone } from './tone.ts'

export interface NoticeProps {
  tone: Tone
  title?: ReactNode
  children?: ReactNode
  /** Buttons under the text. */
  actions?: ReactNode
  className?: string
}

/** A box with a notice next to the main content. */
export function Notice({ tone, title, children, actions, className }: NoticeProps) {
  const look = TONES[tone]
  const Icon = look.icon
  return (
    <div className={classNames('flex items-start gap-3 rounded-lg border px-4 py-3', look.soft, look.edge, className)}>
      <Icon aria-hidden className={classNames('mt-0.5 size-4 shrink-0', look.text)} />
      <div className="min-w-0 flex-1">
        {title !== undefined && <p className="font-medium">{title}</p>}
        {children !== undefined && <div className="break-words">{children}</div>}
        {actions !== undefined && <div className="mt-3 flex flex-wrap gap-2">{actions}</div>}
      </div>
    </div>
  )
}
