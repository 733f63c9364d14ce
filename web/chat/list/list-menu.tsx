import { Ellipsis, FileUp, Trash2 } from 'lucide-react'
import { useRef } from 'react'
import { t } from '../../text/i18n.ts'
import { HiddenFileInput } from '../../parts/controls/hidden-file-input.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { Menu } from '../../parts/controls/menu.tsx'

interface ListMenuProps {
  onImport(file: File): void
  onBin(): void
}

/** Actions on the list as a whole: import a conversation from a file, view the deleted ones. */
export function ListMenu({ onImport, onBin }: ListMenuProps) {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <>
      <Menu
        align="end"
        trigger={<IconButton label={t('chat.list_menu')} icon={Ellipsis} size="sm" />}
        entries={[
          { label: t('chat.import'), icon: FileUp, onSelect: () => picker.current?.click() },
          { label: t('chat.bin'), icon: Trash2, onSelect: onBin },
        ]}
      />
      <HiddenFileInput ref={picker} accept="application/json,.json" label={t('chat.import')} onFile={onImport} />
    </>
  )
}
