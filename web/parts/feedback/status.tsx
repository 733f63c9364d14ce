import type { LucideIcon } from 'lucide-react'
import { classNames } from '../class-names.ts'
import { TONES, type Tone } from './tone.ts'

export interface StatusProps {
  tone: Tone
  label: string
  /** Replaces the tone's default icon. */
  icon?: LucideIcon
  /** A pill with a background; otherwise just icon and word. */
  pill?: boolean
  /** Only the icon is shown; the word is for screen readers. */
  iconOnly?: boolean
  /** In progress: the icon pulses. */
  moving?: boolean
  className?: string
}

/** A state as icon, colour and word. */
export function Status({ tone, label, icon, pill = false, iconOnly = false, moving = false, className }: StatusProps) {
  const look = TONES[tone]
  const Icon = icon ?? look.icon
  return (
    <span
      className={classNames(
        'inline-flex items-center gap-1.5 text-sm font-medium whitespace-nowrap',
        look.text,
        pill && classNames('rounded-full px-2 py-0.5', look.soft),
        className,
      )}
      title={iconOnly ? label : undefined}
    >
      <Icon aria-hidden className={classNames('size-3.5 shrink-0', moving && 'animate-pulse')} strokeWidth={2.25} />
      <span className={iconOnly ? 'sr-only' : undefined}>{label}</span>
    </span>
  )
}
