import { useQuery } from '@tanstack/react-query'
import { Blocks, Paperclip } from 'lucide-react'
import { useRef, useState } from 'react'
import type { FileEntry } from '../../../../contract/files.ts'
import { IconButton } from '../../../parts/controls/icon-button.tsx'
import { Menu } from '../../../parts/controls/menu.tsx'
import { later, useLater } from '../../../parts/later.ts'
import { resourceModulesQuery } from '../../../client/module-title.ts'
import { t } from '../../../text/i18n.ts'

const resourceDialogPart = later(() => import('./resource-dialog.tsx'))

interface AttachButtonProps {
  onFiles(files: readonly File[]): void
  /** Something of a module was read and stored. */
  onStored(file: FileEntry): void
}

/** Attaches files of this device at once, or asks first where modules have something to read, too. */
export function AttachButton({ onFiles, onStored }: AttachButtonProps) {
  const picker = useRef<HTMLInputElement>(null)
  const [open, setOpen] = useState(false)
  const modules = useQuery(resourceModulesQuery).data?.items ?? []
  const part = useLater(resourceDialogPart, { wanted: open })
  const pick = (): void => picker.current?.click()
  return (
    <>
      {modules.length === 0 ? (
        <IconButton label={t('chat.attach')} icon={Paperclip} onClick={pick} />
      ) : (
        <Menu
          side="top"
          trigger={<IconButton label={t('chat.attach_menu')} icon={Paperclip} />}
          entries={[
            { label: t('chat.attach'), icon: Paperclip, onSelect: pick },
            { label: t('resources.from_module'), icon: Blocks, onSelect: () => setOpen(true) },
          ]}
        />
      )}
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label={t('chat.attach')}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
      {open && part && <part.ResourceDialog modules={modules} onStored={onStored} onClose={() => setOpen(false)} />}
    </>
  )
}
