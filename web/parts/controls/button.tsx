import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, Ref } from 'react'
import { classNames } from '../class-names.ts'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `primary`: the one main action of a view. */
  variant?: 'primary' | 'secondary' | 'ghost' | 'danger'
  size?: 'sm' | 'md'
  icon?: LucideIcon
  /** The action is in progress: the button is disabled and shows a moving bar along its lower edge. */
  busy?: boolean
  ref?: Ref<HTMLButtonElement>
}

const LOOK = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover',
  secondary: 'border border-line-strong/60 bg-surface text-ink shadow-sm hover:bg-hover',
  ghost: 'text-ink hover:bg-hover',
  danger: 'bg-danger text-on-danger hover:bg-danger-hover',
}
const SIZE = { sm: 'h-7 gap-1.5 px-2.5 text-sm', md: 'h-9 gap-2 px-3.5 text-base' }

/** A button labelled with a verb. */
export function Button({
  variant = 'secondary',
  size = 'md',
  icon: Icon,
  busy = false,
  className,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      className={classNames(
        'relative inline-flex max-w-full shrink-0 items-center justify-center overflow-hidden rounded-md font-medium whitespace-nowrap transition-colors duration-100 select-none disabled:opacity-55',
        // Wraps to two lines when words are long and the screen is narrow.
        'max-sm:leading-tight max-sm:whitespace-normal',
        LOOK[variant],
        SIZE[size],
        className,
      )}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      {...rest}
    >
      {Icon !== undefined && <Icon aria-hidden className={size === 'sm' ? 'size-3.5' : 'size-4'} />}
      {children}
      {busy && <span aria-hidden className="animate-progress absolute bottom-0 left-0 h-0.5 w-1/3 bg-current" />}
    </button>
  )
}
