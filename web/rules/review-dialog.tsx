import { useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Dialog } from '../parts/layout/dialog.tsx'
import { Section } from '../parts/layout/section.tsx'
import { t } from '../text/i18n.ts'
import { ChangedRules } from './changed-rules.tsx'
import { ConditionalPreview } from './conditional-preview.tsx'
import { EffectPreview } from './effect-preview.tsx'
import { ForeignChanges } from './foreign-changes.tsx'
import { PastCalls } from './past-calls.tsx'
import { previewOf } from './preview-of.ts'
import type { ConditionChange } from './rule-draft.ts'
import type { RuleGroup } from './rule-lines.ts'
import type { RuleDraft } from './use-rule-draft.ts'

interface ReviewDialogProps {
  readonly draft: RuleDraft
  readonly groups: readonly RuleGroup[]
  onClose(): void
  onEdit(change: ConditionChange): void
}

/** What the unsaved rules change for whom, before they are saved together. */
export function ReviewDialog({ draft, groups, onClose, onEdit }: ReviewDialogProps) {
  const { saved, roles, open, save, meanwhile } = draft
  const [testing, setTesting] = useState(false)
  const preview = previewOf(saved, roles, groups)
  const conditional = open.some((change) => 'place' in change)
  return (
    <Dialog
      open
      onOpenChange={(next) => next || onClose()}
      title={t('rules.review_title')}
      size="lg"
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button variant="primary" busy={save.isPending} onClick={() => save.mutate()}>
            {t('action.save')}
          </Button>
        </>
      }
    >
      <div className="space-y-6">
        {save.isError && (
          <div ref={reveal}>
            <ErrorNotice title={t('roles.not_saved')} error={save.error} />
          </div>
        )}
        {meanwhile.length > 0 && <ForeignChanges changes={meanwhile} own={open} groups={groups} />}
        {(preview.length > 0 || !conditional) && <EffectPreview preview={preview} />}
        {conditional && <ConditionalPreview changes={open} roles={saved} groups={groups} />}
        <ChangedRules draft={draft} groups={groups} onEdit={onEdit} />
        {testing ? (
          <Section title={t('roles.simulation_title')}>
            <PastCalls roles={roles.filter(({ role_id }) => open.some((change) => change.role_id === role_id))} />
          </Section>
        ) : (
          <Button onClick={() => setTesting(true)}>{t('roles.simulate')}</Button>
        )}
      </div>
    </Dialog>
  )
}

/** The dialog may be scrolled to its end when saving is refused. */
function reveal(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}
