import { classNames } from '../class-names.ts'

export interface ProgressProps {
  /** What is in progress; the accessible name. */
  label: string
  /** 0 to 1; omitted while unknown. */
  value?: number
  className?: string
}

/** A thin progress bar. */
export function Progress({ label, value, className }: ProgressProps) {
  const known = value !== undefined
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={known ? Math.round(value * 100) : undefined}
      className={classNames('bg-hover h-1 w-full overflow-hidden rounded-full', className)}
    >
      <div
        className={classNames(
          'bg-accent h-full rounded-full',
          known ? 'transition-[width] duration-150' : 'animate-progress w-1/3',
        )}
        style={known ? { width: `${Math.min(100, Math.max(0, value * 100))}%` } : undefined}
      />
    </div>
  )
}
