import { ListFilterPlus } from 'lucide-react'
import { useState } from 'react'
import { classNames } from '../parts/class-names.ts'
import { Button } from '../parts/controls/button.tsx'
import { SearchBox } from '../parts/controls/search-box.tsx'
import { FilterChoice } from '../parts/filters/filter-choice.tsx'
import { Notice } from '../parts/feedback/notice.tsx'
import { UnsavedChanges } from '../parts/layout/unsaved-changes.tsx'
import { t } from '../text/i18n.ts'
import { useLater } from '../parts/later.ts'
import type { RulesWanted } from './conditions/rules-dialog.tsx'
import { rulesDialogPart } from './conditions/rules-dialog-part.ts'
import { DraftBar } from './draft-bar.tsx'
import { ForeignChanges } from './foreign-changes.tsx'
import { ReviewDialog } from './review-dialog.tsx'
import { RuleGrid, type RuleGridProps } from './rule-grid.tsx'
import { RuleLegend } from './rule-legend.tsx'
import { linesOf, type RuleGroup } from './rule-lines.ts'
import type { Role } from './tool-rules.ts'
import { useNarrow } from './use-narrow.ts'
import { useRuleDraft } from './use-rule-draft.ts'

export interface RuleEditorProps extends Pick<RuleGridProps, 'label' | 'headMenu' | 'onExplain'> {
  readonly saved: readonly Role[]
  readonly groups: readonly RuleGroup[]
  /**
   * `page`: many groups, which fold and are searched, in the page's one scroller. `part`: one open group as a part of a
   * page that scrolls.
   */
  readonly as: 'page' | 'part'
  /** A rule that is to be made, from the page's address. */
  readonly making?: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> | null } | null
  onMade?(): void
}

/** Who may use what: the grid of rules, and its unsaved changes until they are reviewed and saved. */
export function RuleEditor({ saved, groups, as, making = null, onMade, ...grid }: RuleEditorProps) {
  const page = as === 'page'
  const draft = useRuleDraft(saved)
  const narrow = useNarrow()
  const [filter, setFilter] = useState('')
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const [chosen, setChosen] = useState<string | null>(null)
  const [reviewing, setReviewing] = useState(false)
  const [chosenRules, setRules] = useState<RulesWanted | null>(null)
  const wanted: RulesWanted | null = chosenRules ?? (making && { kind: 'new', ...making })
  const rulesDialog = useLater(rulesDialogPart, { wanted: wanted !== null })
  const dirty = draft.open.length > 0
  // Saved, or the last change was taken back: the next change is not reviewed by itself.
  if (reviewing && !dirty) setReviewing(false)
  const shown =
    draft.roles.find(({ role_id }) => role_id === chosen) ?? draft.roles.find(({ admin }) => !admin) ?? draft.roles[0]
  const roles = !narrow ? draft.roles : shown === undefined ? [] : [shown]
  const open = page ? unfolded : new Set(groups.map(({ id }) => id))
  const fold = (id: string): void => {
    const next = new Set(unfolded)
    if (!next.delete(id)) next.add(id)
    setUnfolded(next)
  }
  const all = groups.every(({ id }) => unfolded.has(id))
  const lines = linesOf(groups, open, page ? filter : '')
  return (
    <div className={classNames('gap-3', page ? 'flex min-h-0 flex-1 flex-col' : 'grid')}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        {page && (
          <SearchBox label={t('roles.filter')} value={filter} onChange={setFilter} className="max-md:flex-1 md:w-64" />
        )}
        {narrow && (
          <FilterChoice
            label={t('users.role')}
            value={shown?.role_id ?? ''}
            onChange={setChosen}
            options={saved.map(({ role_id, name }) => ({ value: role_id, label: name }))}
          />
        )}
        {page && !narrow && (
          <Button
            variant="ghost"
            disabled={filter.trim() !== ''}
            onClick={() => setUnfolded(all ? new Set() : new Set(groups.map(({ id }) => id)))}
          >
            {t(all ? 'rules.fold_all' : 'rules.unfold_all')}
          </Button>
        )}
        {page && (
          <Button icon={ListFilterPlus} onClick={() => setRules({ kind: 'new', tool: '', args: null })}>
            {t('rule_form.new')}
          </Button>
        )}
        <RuleLegend />
      </div>
      {dirty && !reviewing && draft.meanwhile.length > 0 && (
        <ForeignChanges changes={draft.meanwhile} own={draft.open} groups={groups} />
      )}
      {lines.length === 0 ? (
        <p role="status" className="text-muted py-8 text-center">
          {t('rules.none_found')}
        </p>
      ) : (
        <RuleGrid
          {...grid}
          onConditions={(role_id, subject) => setRules({ kind: 'cell', role_id, subject })}
          key={narrow ? 'narrow' : 'wide'}
          draft={draft}
          roles={roles}
          lines={lines}
          narrow={narrow}
          fill={page}
          {...(page ? { onFold: fold } : {})}
        />
      )}
      {!dirty && draft.save.isSuccess && draft.save.data.length > 0 && (
        <Notice tone="warn" title={t('roles.unmatched', { count: draft.save.data.length })}>
          <ul>
            {draft.save.data.map((message) => (
              <li key={message} className="break-words">
                {message}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {dirty && <DraftBar draft={draft} sticky={!page} onReview={() => setReviewing(true)} />}
      {dirty && reviewing && (
        <ReviewDialog
          draft={draft}
          groups={groups}
          onClose={() => setReviewing(false)}
          onEdit={(change) => {
            setReviewing(false)
            setRules({ kind: 'rule', role_id: change.role_id, subject: change.subject, rule: change })
          }}
        />
      )}
      {wanted !== null && rulesDialog !== null && (
        <rulesDialog.RulesDialog
          wanted={wanted}
          draft={draft}
          groups={groups}
          onClose={() => {
            setRules(null)
            onMade?.()
          }}
        />
      )}
      <UnsavedChanges dirty={dirty} />
    </div>
  )
}
