import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../parts/controls/button.tsx'
import { announce } from '../../parts/feedback/announcer.tsx'
import { ConfirmDialog } from '../../parts/layout/confirm-dialog.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { t } from '../../text/i18n.ts'
import { fromCall } from '../of-call/from-call.ts'
import { nameOfSubject, type RuleGroup } from '../rule-lines.ts'
import type { Rule } from '../same-rule.ts'
import type { RuleDraft } from '../use-rule-draft.ts'
import { RuleForm } from './rule-form.tsx'
import type { Arguments } from './spec-draft.ts'
import { type RuleFormState, useRuleInForm } from './use-rule-in-form.ts'
import { triedQuery, useTriedRule } from './use-tried-rule.ts'

/** A rule while the form for it is open. */
export interface Editing {
  readonly form: RuleFormState
  readonly place: string
  readonly was: Rule | null
  /** Arguments of a call that it was made from, until they are filled in: the tool's schema must be there first. */
  readonly args: Arguments | null
}

interface FormDialogProps {
  readonly editing: Editing
  readonly choosing: boolean
  readonly draft: RuleDraft
  readonly groups: readonly RuleGroup[]
  onEditing(next: Editing | null): void
  readonly onBack: (() => void) | null
  onClose(): void
}

/** The form for one rule. What it makes becomes an unsaved change of the grid, once the server would save it. */
export function FormDialog({ editing, choosing, draft, groups, onEditing, onBack, onClose }: FormDialogProps) {
  const { form, place, was, args } = editing
  const queryClient = useQueryClient()
  const body = useRef<HTMLDivElement>(null)
  const [checked, setChecked] = useState(false)
  const [touched, setTouched] = useState(false)
  // What follows once it is confirmed that what was entered may go.
  const [leaving, setLeaving] = useState<(() => void) | null>(null)
  const leave = (go: () => void): void => (touched ? setLeaving(() => go) : go())
  const made = useRuleInForm(form)
  useEffect(() => {
    if (args !== null && made.schema !== null)
      onEditing({ ...editing, args: null, form: { ...form, spec: fromCall(args, made.known) } })
  })
  const { query, tried, current } = useTriedRule(form.role_id, made.rule)
  const take = useMutation({
    mutationFn: (rule: Rule) => queryClient.fetchQuery(triedQuery(form.role_id, JSON.stringify(rule))),
    onSuccess: ({ problem }, rule) => {
      if (problem !== null) return reveal()
      draft.change({ role_id: form.role_id, subject: made.subject, place, was, rule })
      announce(t('rule_form.taken'))
      if (onBack === null) onClose()
      else onBack()
    },
  })
  const reveal = (): void => {
    setChecked(true)
    // Once it is shown which field is wrong.
    requestAnimationFrame(() => {
      const first = body.current?.querySelector<HTMLElement>('[aria-invalid=true], [role=alert]:not(:empty)')
      first?.scrollIntoView({ block: 'center' })
      if (first?.matches('input, select, textarea') === true) first.focus()
    })
  }
  return (
    <>
      <Dialog
        open
        onOpenChange={(next) => next || leave(onClose)}
        title={t(was === null ? 'rule_form.new_title' : 'rule_form.edit_title')}
        {...(choosing ? {} : { description: describe(form, draft, groups, made.subject) })}
        size="lg"
        actions={
          <>
            <Button onClick={() => leave(onBack ?? onClose)}>
              {t(onBack === null ? 'action.cancel' : 'action.back')}
            </Button>
            <Button
              variant="primary"
              busy={take.isPending}
              onClick={() => (made.rule === null ? reveal() : take.mutate(made.rule))}
            >
              {t(was === null ? 'rule_form.add' : 'rule_form.change')}
            </Button>
          </>
        }
      >
        <div ref={body}>
          <RuleForm
            state={form}
            made={made}
            groups={groups}
            roles={draft.saved}
            choosing={choosing}
            tried={tried}
            current={current}
            failed={take.error ?? query.error}
            checked={checked}
            onChange={(next) => {
              setTouched(true)
              onEditing({ ...editing, form: next })
            }}
          />
        </div>
      </Dialog>
      {leaving !== null && (
        <ConfirmDialog
          title={t('unsaved.title')}
          text={t('unsaved.text')}
          verb={t('action.discard')}
          danger
          onConfirm={leaving}
          onClose={() => setLeaving(null)}
        />
      )}
    </>
  )
}

function describe(form: RuleFormState, draft: RuleDraft, groups: readonly RuleGroup[], subject: string): string {
  const role = draft.saved.find(({ role_id }) => role_id === form.role_id)?.name ?? ''
  return `${nameOfSubject(groups, subject)} · ${role}`
}
