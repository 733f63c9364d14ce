import { History, Undo2 } from 'lucide-react'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import type { RoleDraft } from './use-role-draft.ts'

/** Unsaved changes and their actions; stays in sight while there are any. */
export function DraftBar({ draft, onSimulate }: { readonly draft: RoleDraft; onSimulate(): void }) {
  const { open, save } = draft
  return (
    <div className="bg-raised border-line sticky bottom-2 z-10 space-y-3 rounded-lg border p-3 shadow-lg">
      {save.isError && <ErrorNotice title={t('roles.not_saved')} error={save.error} />}
      {open.length > 0 && (
        <div className="flex flex-wrap items-center gap-2">
          <p role="status" className="min-w-0 flex-1 basis-full font-medium sm:basis-40">
            {t('roles.unsaved', { count: open.length })}
          </p>
          <Button className="max-sm:grow" icon={Undo2} disabled={save.isPending} onClick={draft.undo}>
            {t('action.undo')}
          </Button>
          <Button className="max-sm:grow" disabled={save.isPending} onClick={draft.discard}>
            {t('action.discard')}
          </Button>
          <Button className="max-sm:grow" icon={History} disabled={save.isPending} onClick={onSimulate}>
            {t('roles.simulate')}
          </Button>
          <Button className="max-sm:grow" variant="primary" busy={save.isPending} onClick={() => save.mutate()}>
            {t('action.save')}
          </Button>
        </div>
      )}
    </div>
  )
}
