import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { CodeBlock } from '../../parts/layout/code-block.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'

/** A new token, shown only once, with an example of its use in a script. */
export function NewToken({ token, onClose }: { readonly token: string; onClose(): void }) {
  const address = `${window.location.origin}/api/auth/session`
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('account.token_made')}
      actions={
        <Button variant="primary" onClick={onClose}>
          {t('account.token_done')}
        </Button>
      }
    >
      <div className="space-y-4">
        <Notice tone="warn">{t('account.token_once')}</Notice>
        <CodeBlock code={token} language={t('account.token')} wrap />
        <p>{t('account.token_example')}</p>
        <CodeBlock code={`curl -H "Authorization: Bearer $REEVE_TOKEN" ${address}`} language="sh" wrap />
      </div>
    </Dialog>
  )
}
