import { Search } from 'lucide-react'
import { classNames } from '../class-names.ts'
import { t } from '../i18n.ts'
import { KeyCaps } from '../keys/key-caps.tsx'
import { IconButton } from '../parts/icon-button.tsx'
import { openOverlay } from './overlay.ts'

/** Opens the command palette: in the rail, wide or folded to its icon. */
export function PaletteButton({ folded }: { folded: boolean }) {
  const open = (): void => openOverlay({ kind: 'palette' })
  if (folded) return <IconButton label={t('palette.open')} icon={Search} side="right" onClick={open} />
  return (
    <button
      type="button"
      onClick={open}
      className={classNames(
        'border-line bg-surface text-muted hover:border-line-strong hover:text-ink',
        'flex h-8 w-full items-center gap-2.5 rounded-md border pr-1.5 pl-2.5 text-left text-sm',
      )}
    >
      <Search aria-hidden className="size-4 shrink-0" />
      <span className="min-w-0 flex-1 truncate">{t('palette.open')}</span>
      <span aria-hidden>
        <KeyCaps keys="mod+k" />
      </span>
    </button>
  )
}
