import { Undo2 } from 'lucide-react'
import { classNames } from '../parts/class-names.ts'
import { Button } from '../parts/controls/button.tsx'
import { t } from '../text/i18n.ts'
import type { RuleDraft } from './use-rule-draft.ts'

interface DraftBarProps {
  readonly draft: RuleDraft
  /** Stays at the lower edge of a page that scrolls. */
  readonly sticky: boolean
  onReview(): void
}

/** Unsaved changes and their actions; in sight while there are any. */
export function DraftBar({ draft, sticky, onReview }: DraftBarProps) {
  const { open, save } = draft
  return (
    <div
      className={classNames(
        'bg-raised border-line flex flex-wrap items-center gap-2 rounded-lg border p-2 ps-3 shadow-md',
        sticky && 'sticky bottom-2 z-10',
      )}
    >
      <p role="status" className="min-w-0 flex-1 basis-full font-medium sm:basis-40">
        {t('roles.unsaved', { count: open.length })}
      </p>
      <Button className="max-sm:grow" icon={Undo2} disabled={save.isPending} onClick={draft.undo}>
        {t('action.undo')}
      </Button>
      <Button className="max-sm:grow" disabled={save.isPending} onClick={draft.discard}>
        {t('action.discard')}
      </Button>
      <Button className="max-sm:grow" variant="primary" onClick={onReview}>
        {t('rules.review')}
      </Button>
    </div>
  )
}
