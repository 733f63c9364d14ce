import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { CopyButton } from '../../parts/controls/copy-button.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { nameOf, type User } from './users-query.ts'

interface InviteLinkDialogProps {
  readonly user: User
  /** Path and query of the link. */
  readonly path: string
  onClose(): void
}

/** Shows a new link, the only time that it can be seen. */
export function InviteLinkDialog({ user, path, onClose }: InviteLinkDialogProps) {
  const link = new URL(path, window.location.origin).href
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('users.link_title', { name: nameOf(user) })}
      description={t('users.link_text')}
      actions={
        <Button variant="primary" onClick={onClose}>
          {t('users.link_close')}
        </Button>
      }
    >
      <div className="space-y-4">
        <div className="border-line bg-sunken flex items-center gap-2 rounded-md border py-1.5 pr-1.5 pl-3">
          <code className="min-w-0 flex-1 text-sm break-all select-all">{link}</code>
          <CopyButton text={link} label={t('users.link_copy')} />
        </div>
        <Notice tone="warn">{t('users.link_once')}</Notice>
      </div>
    </Dialog>
  )
}
