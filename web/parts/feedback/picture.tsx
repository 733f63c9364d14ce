import { useState } from 'react'
import type { IconAddresses } from '../../../contract/icons.ts'
import { classNames } from '../class-names.ts'

interface PictureProps {
  readonly icon: IconAddresses
  readonly className: string
  /** It cannot be shown. */
  onBroken?(): void
}

/** What a module says that it or a tool looks like, in the theme. Always beside a name, which says it: it is decoration. */
export function Picture({ icon: { light, dark }, className, onBroken }: PictureProps) {
  const shown = (src: string, theme?: string) => (
    <img
      src={src}
      alt=""
      // What the theme hides is not loaded.
      loading="lazy"
      className={classNames('border-line bg-surface shrink-0 border object-contain', className, theme)}
      onError={onBroken}
    />
  )
  if (light === dark) return shown(light)
  return (
    <>
      {shown(light, 'in-light')}
      {shown(dark, 'in-dark')}
    </>
  )
}

/** The same beside the title of a tool; nothing where there is none. */
export function ToolPicture({ icon }: { readonly icon: IconAddresses | undefined }) {
  const [broken, setBroken] = useState<string | null>(null)
  if (icon === undefined || icon.light === broken) return null
  return <Picture icon={icon} className="size-5 rounded" onBroken={() => setBroken(icon.light)} />
}
