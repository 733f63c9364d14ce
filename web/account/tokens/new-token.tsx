import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { CodeBlock } from '../../parts/layout/code-block.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { ConnectLines } from './connect-lines.tsx'

/** What was made, and what it is for. */
export interface MadeToken {
  readonly token: string
  readonly audience: 'api' | 'mcp'
}

/** A new token, shown only once, with what to do with it. */
export function NewToken({ made, onClose }: { readonly made: MadeToken; onClose(): void }) {
  const { token, audience } = made
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
        {audience === 'mcp' ? (
          <ConnectLines />
        ) : (
          <>
            <p>{t('account.token_example')}</p>
            <CodeBlock code={`curl -H "Authorization: Bearer $REEVE_TOKEN" ${address}`} language="sh" wrap />
          </>
        )}
      </div>
    </Dialog>
  )
}
