import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { rolesQuery } from '../../modules/list/module-queries.ts'
import type { Role } from '../../modules/tools/tool-rules.ts'
import { announce } from '../../parts/feedback/announcer.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { openChanges, type RuleChange, withChanges } from './role-draft.ts'

/** The matrix while it is edited: every choice can be undone, and all are saved one role at a time. */
export function useRoleDraft(saved: readonly Role[]) {
  const queryClient = useQueryClient()
  const [changes, setChanges] = useState<readonly RuleChange[]>([])
  const roles = withChanges(saved, changes)
  const open = openChanges(saved, changes)
  const save = useMutation({
    mutationFn: async () => {
      const warnings: string[] = []
      for (const role of roles.filter(({ role_id }) => open.some((change) => change.role_id === role_id))) {
        const { role: stored, warnings: own } = await call('PATCH /api/admin/roles/{role_id}', {
          params: { role_id: role.role_id },
          body: { rules: role.rules, revision: role.revision },
        })
        warnings.push(...own.map(({ message }) => `${stored.name}: ${message}`))
        // One at a time: when a later role is refused, the earlier ones stay saved.
        setChanges((before) => before.filter(({ role_id }) => role_id !== stored.role_id))
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
  return {
    roles,
    open,
    save,
    change: (change: RuleChange): void => {
      setChanges([...changes, change])
      if (save.isError) save.reset()
    },
    undo: (): void => setChanges(changes.slice(0, -1)),
    discard: (): void => {
      setChanges([])
      save.reset()
    },
  }
}

export type RoleDraft = ReturnType<typeof useRoleDraft>
