import { t } from '../../i18n.ts'
import { Button } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Notice } from '../../parts/notice.tsx'

/** A token that was just made, shown this once, with how a script uses it. */
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
