import { Search } from 'lucide-react'
import { classNames } from '../../parts/class-names.ts'
import { t } from '../../text/i18n.ts'
import { KeyCaps } from '../keys/key-caps.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
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
      {/* With long words the keys wrap to a second line, which is clipped. */}
      <span className="flex h-6 min-w-0 flex-1 flex-wrap justify-between gap-x-2 overflow-hidden leading-6">
        <span className="max-w-full truncate">{t('palette.open')}</span>
        <span aria-hidden className="flex h-6 items-center">
          <KeyCaps keys="mod+k" />
        </span>
      </span>
    </button>
  )
}
