import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, Ref } from 'react'
import { classNames } from '../class-names.ts'
import { Tooltip } from '../feedback/tooltip.tsx'

export interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children' | 'aria-label'> {
  /** What the button does: accessible name and tooltip. */
  label: string
  icon: LucideIcon
  size?: 'sm' | 'md'
  variant?: 'ghost' | 'primary' | 'secondary' | 'danger'
  /** Side of the tooltip. */
  side?: 'top' | 'right' | 'bottom' | 'left'
  ref?: Ref<HTMLButtonElement>
}

const LOOK = {
  ghost: 'text-muted hover:bg-hover hover:text-ink aria-expanded:bg-hover aria-expanded:text-ink',
  primary: 'bg-accent text-on-accent hover:bg-accent-hover',
  secondary: 'border border-line-strong/60 bg-surface text-ink shadow-sm hover:bg-hover',
  danger: 'text-danger hover:bg-danger-soft',
}

/** A square icon button. */
export function IconButton({
  label,
  icon: Icon,
  size = 'md',
  variant = 'ghost',
  side,
  className,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={label} side={side}>
      <button
        type="button"
        aria-label={label}
        className={classNames(
          'inline-flex shrink-0 items-center justify-center rounded-md transition-colors duration-100 disabled:opacity-55',
          LOOK[variant],
          size === 'sm' ? 'size-7' : 'size-9',
          className,
        )}
        {...rest}
      >
        <Icon aria-hidden className="size-4" />
      </button>
    </Tooltip>
  )
}
