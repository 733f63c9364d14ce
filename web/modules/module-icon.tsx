import { Blocks } from 'lucide-react'
import { useState } from 'react'
import { classNames } from '../class-names.ts'

/** The picture of a module, or the sign for any module. Its name always stands beside it. */
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
