import { Download } from 'lucide-react'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { CopyButton } from '../../parts/controls/copy-button.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { saveFile } from '../../tables/export/save-file.ts'

/** Backup codes, shown only once: to copy, save or write down. */
export function BackupCodesDialog({ codes, onClose }: { readonly codes: readonly string[]; onClose(): void }) {
  const save = (): void => {
    const lines = [t('account.codes_file', { host: window.location.host }), '', ...codes, '']
    saveFile('reeve-backup-codes.txt', new Blob([lines.join('\n')], { type: 'text/plain' }))
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('account.codes')}
      description={t('account.codes_once')}
      actions={
        <>
          <Button icon={Download} onClick={save}>
            {t('account.codes_save')}
          </Button>
          <Button variant="primary" onClick={onClose}>
            {t('account.codes_done')}
          </Button>
        </>
      }
    >
      <div className="bg-sunken border-line flex items-start gap-2 rounded-lg border py-3 pr-2 pl-4">
        <ul className="grid flex-1 grid-cols-[repeat(auto-fill,minmax(8rem,1fr))] gap-x-4 gap-y-1.5 font-mono">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <CopyButton text={codes.join('\n')} label={t('account.codes_copy')} />
      </div>
    </Dialog>
  )
}
