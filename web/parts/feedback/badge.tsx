import type { ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import { TONES, type Tone } from './tone.ts'

export interface BadgeProps {
  tone?: Tone
  /** Filled with the accent: for a count that asks for attention. */
  solid?: boolean
  children: ReactNode
  className?: string
}

/** A short word or a count next to something. */
export function Badge({ tone = 'neutral', solid = false, children, className }: BadgeProps) {
  const look = TONES[tone]
  return (
    <span
      className={classNames(
        'tabular inline-flex h-5 min-w-5 items-center justify-center rounded-full px-1.5 text-xs font-medium',
        solid ? 'bg-accent text-on-accent' : classNames(look.soft, look.text),
        className,
      )}
    >
      {children}
    </span>
  )
}
