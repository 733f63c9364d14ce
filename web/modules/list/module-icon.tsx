import { Blocks } from 'lucide-react'
import { useState } from 'react'
import { classNames } from '../../parts/class-names.ts'

/** A module's icon, or the generic one. Always shown next to its name. */
export function ModuleIcon({ url, large = false }: { readonly url: string | null; readonly large?: boolean }) {
  const [broken, setBroken] = useState<string | null>(null)
  const size = large ? 'size-12' : 'size-9'
  if (url === null || url === broken)
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
  return (
    <img
      src={url}
      alt=""
      className={classNames('border-line shrink-0 rounded-lg border object-contain', size)}
      onError={() => setBroken(url)}
    />
  )
}
