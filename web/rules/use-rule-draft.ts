import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../client/api.ts'
import { rolesQuery } from '../modules/list/module-queries.ts'
import { announce } from '../parts/feedback/announcer.tsx'
import { toast } from '../parts/feedback/toast.tsx'
import { t } from '../text/i18n.ts'
import { changeKey, foreignChanges, openChanges, type RuleChange, withChanges, withCommon } from './rule-draft.ts'
import type { Role } from './tool-rules.ts'

const NOTHING: { readonly changes: readonly RuleChange[]; readonly base: readonly Role[] } = { changes: [], base: [] }

/** The rules while they are edited: every choice can be undone, and all are saved one role at a time. */
export function useRuleDraft(loaded: readonly Role[]) {
  const saved = withCommon(loaded)
  const queryClient = useQueryClient()
  // `base`: the roles as they were when the draft was begun, to tell what others have changed since.
  const [{ changes, base }, setDraft] = useState(NOTHING)
  const roles = withCommon(withChanges(saved, changes))
  const open = openChanges(saved, changes)
  const touched = saved.filter(({ role_id }) => open.some((change) => change.role_id === role_id))
  const save = useMutation({
    mutationFn: async () => {
      const warnings: string[] = []
      for (const role of roles.filter(({ role_id }) => open.some((change) => change.role_id === role_id))) {
        const { role: stored, warnings: own } = await call('PATCH /api/admin/roles/{role_id}', {
          params: { role_id: role.role_id },
          body: { rules: role.rules, revision: role.revision },
        })
        warnings.push(...own.map(({ message }) => `${stored.name}: ${message}`))
        const others = (role_id: string): boolean => role_id !== stored.role_id
        // One at a time: when a later role is refused, the earlier ones stay saved.
        setDraft((before) => ({
          changes: before.changes.filter(({ role_id }) => others(role_id)),
          base: before.base.filter(({ role_id }) => others(role_id)),
        }))
        queryClient.setQueryData(rolesQuery.queryKey, (list) =>
          list?.map((one) => (one.role_id === stored.role_id ? stored : one)),
        )
      }
      return warnings
    },
    onSuccess: () => {
      toast({ text: t('roles.saved'), tone: 'ok' })
      announce(t('roles.saved'))
    },
    // After a refusal as well: the newer rules are fetched and the changes applied on top, before it asks to review them.
    onSettled: async () => {
      void queryClient.invalidateQueries({ queryKey: ['tools'] })
      void queryClient.invalidateQueries({ queryKey: ['session'] })
      await queryClient.invalidateQueries({ queryKey: rolesQuery.queryKey })
    },
  })
  const keep = (left: readonly RuleChange[]): void => {
    setDraft((before) => ({ changes: left, base: before.base }))
    if (save.isError) save.reset()
  }
  return {
    saved,
    roles,
    open,
    save,
    /** What others have changed since in the roles that this draft changes. */
    meanwhile: foreignChanges(base, touched),
    change: (change: RuleChange): void => {
      // What is being saved can't be changed: it would be lost when the answer arrives.
      if (save.isPending) return
      setDraft((before) => ({
        changes: [...before.changes, change],
        base: openChanges(saved, before.changes).length === 0 ? saved : before.base,
      }))
      if (save.isError || save.isSuccess) save.reset()
    },
    /** Takes the last change back. */
    undo: (): void => keep(changes.slice(0, -1)),
    /** Takes one change back, whenever it was made. */
    drop: (one: RuleChange): void => keep(changes.filter((change) => changeKey(change) !== changeKey(one))),
    discard: (): void => {
      setDraft(NOTHING)
      save.reset()
    },
  }
}

export type RuleDraft = ReturnType<typeof useRuleDraft>
