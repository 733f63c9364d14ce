import { classNames } from '../class-names.ts'
import { t } from '../../text/i18n.ts'

export interface SkeletonProps {
  /** Width, height and rounding, as classes. */
  className?: string
}

/** A grey placeholder shaped like the content being loaded; invisible for its first 150 ms (animation delay). */
export function Skeleton({ className }: SkeletonProps) {
  return (
    <span aria-hidden className={classNames('animate-skeleton bg-hover block rounded-md', className ?? 'h-4 w-full')} />
  )
}

/** Placeholder rows of a list, announced once. */
export function SkeletonRows({ rows = 3, className = 'h-12' }: { rows?: number; className?: string }) {
  return (
    <div role="status" className="space-y-2">
      <span className="sr-only">{t('state.loading')}</span>
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} className={className} />
      ))}
    </div>
  )
}
