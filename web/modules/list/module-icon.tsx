import { Blocks } from 'lucide-react'
import { useState } from 'react'
import type { IconAddresses } from '../../../contract/icons.ts'
import { classNames } from '../../parts/class-names.ts'
import { Picture } from '../../parts/feedback/picture.tsx'

interface ModuleIconProps {
  readonly icon: IconAddresses | undefined
  readonly large?: boolean
}

/** A module's icon, or the generic one. Always shown next to its name. */
export function ModuleIcon({ icon, large = false }: ModuleIconProps) {
  const [broken, setBroken] = useState<string | null>(null)
  const size = large ? 'size-12' : 'size-9'
  if (icon === undefined || icon.light === broken)
    return (
      <span
        className={classNames(
          'bg-sunken border-line text-muted inline-flex shrink-0 items-center justify-center rounded-lg border',
          size,
        )}
      >
        <Blocks aria-hidden className={large ? 'size-6' : 'size-4.5'} />
      </span>
    )
  return <Picture icon={icon} className={classNames('rounded-lg', size)} onBroken={() => setBroken(icon.light)} />
}
