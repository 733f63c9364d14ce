import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { sessionQuery } from '../../client/queries.ts'
import { Button } from '../../parts/controls/button.tsx'
import { announce } from '../../parts/feedback/announcer.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { t } from '../../text/i18n.ts'
import { type DraftedRule, draftedRules } from '../rule-draft.ts'
import { nameOfSubject, type RuleGroup } from '../rule-lines.ts'
import { choicesOf } from '../rule-menu.ts'
import type { RuleDraft } from '../use-rule-draft.ts'
import { type Editing, FormDialog } from './form-dialog.tsx'
import { RulesList } from './rules-list.tsx'
import { type Arguments, EMPTY_SPEC, fromRule } from './spec-draft.ts'

/** What the dialog begins with: the rules of a cell, one of them, or a new rule, perhaps from a call. */
export type RulesWanted =
  | { readonly kind: 'cell'; readonly role_id: string; readonly subject: string }
  | { readonly kind: 'rule'; readonly role_id: string; readonly subject: string; readonly rule: DraftedRule }
  | { readonly kind: 'new'; readonly tool: string; readonly args: Arguments | null }

let places = 0
/** Tells a new rule apart from the others of its cell. */
function newPlace(): string {
  return `new ${++places}`
}

interface RulesDialogProps {
  readonly wanted: RulesWanted
  readonly draft: RuleDraft
  readonly groups: readonly RuleGroup[]
  onClose(): void
}

/** The rules with conditions of one cell of the grid, and the form for one. All become unsaved changes of the grid. */
export function RulesDialog({ wanted, draft, groups, onClose }: RulesDialogProps) {
  const role = useFirstRole(draft)
  useFocusBack()
  const [editing, setEditing] = useState<Editing | null>(() => firstOf(wanted, role))
  if (editing !== null)
    return (
      <FormDialog
        editing={editing}
        choosing={wanted.kind === 'new'}
        draft={draft}
        groups={groups}
        onEditing={setEditing}
        onBack={wanted.kind === 'cell' ? () => setEditing(null) : null}
        onClose={onClose}
      />
    )
  if (wanted.kind !== 'cell') return null
  const { role_id, subject } = wanted
  const saved = draft.saved.find((one) => one.role_id === role_id)
  if (saved === undefined) return null
  const name = nameOfSubject(groups, subject)
  const tool = subject.endsWith('.*') ? null : subject.slice('tool:'.length)
  const open = (rule: DraftedRule | null, copy = false): void => {
    if (tool === null) return
    const spec = rule?.rule ? fromRule(rule.rule) : { ...EMPTY_SPEC, effect: choicesOf(saved)[0] ?? 'ask' }
    const own = rule === null || copy ? { place: newPlace(), was: null } : rule
    setEditing({ form: { role_id, tool, spec }, place: own.place, was: own.was, args: null })
  }
  return (
    <Dialog
      open
      onOpenChange={(next) => next || onClose()}
      title={t('rule_form.list_title', { tool: name, role: saved.name })}
      description={t('rule_form.list_text')}
      size="lg"
      actions={<Button onClick={onClose}>{t('dialog.close')}</Button>}
    >
      <RulesList
        rules={draftedRules(saved, subject, draft.open)}
        roles={draft.saved}
        stale={(saved.stale ?? []).flatMap((at) => saved.rules[at] ?? [])}
        onNew={tool === null ? null : () => open(null)}
        onEdit={(rule) => open(rule)}
        onCopy={(rule) => open(rule, true)}
        onChange={({ place, was }, rule) => {
          draft.change({ role_id, subject, place, was, rule })
          announce(t(rule === null ? 'rule_form.deleted' : 'rules.taken_back'))
        }}
      />
    </Dialog>
  )
}

/** The role of whoever is signed in, if it can have rules that allow; it is the first choice for a new rule. */
function useFirstRole({ saved }: RuleDraft): string {
  const own = useQueryClient().getQueryData(sessionQuery.queryKey)?.user?.role
  return (saved.find(({ name }) => name === own) ?? saved.find(({ everybody }) => !everybody))?.role_id ?? ''
}

/** List and form are dialogs of their own: the one that is closed last no longer knows what had the focus at first. */
function useFocusBack(): void {
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        const lost = document.activeElement === null || document.activeElement === document.body
        if (lost && opener instanceof HTMLElement && opener.isConnected) opener.focus()
      })
    },
    [opener],
  )
}

function firstOf(wanted: RulesWanted, role_id: string): Editing | null {
  if (wanted.kind === 'cell') return null
  if (wanted.kind === 'new') {
    const form = { role_id, tool: wanted.tool, spec: EMPTY_SPEC }
    return { form, place: newPlace(), was: null, args: wanted.args }
  }
  const { role_id: own, subject, rule } = wanted
  if (rule.rule === null) return null
  const form = { role_id: own, tool: subject.slice('tool:'.length), spec: fromRule(rule.rule) }
  return { form, place: rule.place, was: rule.was, args: null }
}
