import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api.ts'
import { t } from '../../i18n.ts'
import { rolesQuery } from '../../modules/module-queries.ts'
import type { Role } from '../../modules/tool-rules.ts'
import { announce } from '../../parts/announcer.tsx'
import { toast } from '../../parts/toast.tsx'
import { openChanges, type RuleChange, withChanges } from './role-draft.ts'

/** The matrix while it is edited: every choice can be undone, and all are saved role by role. */
export function useRoleDraft(saved: readonly Role[]) {
  const queryClient = useQueryClient()
  const [changes, setChanges] = useState<readonly RuleChange[]>([])
  const roles = withChanges(saved, changes)
  const open = openChanges(saved, changes)
  const save = useMutation({
    mutationFn: async () => {
      for (const role of roles.filter(({ role_id }) => open.some((change) => change.role_id === role_id))) {
        const { role: stored } = await call('PATCH /api/admin/roles/{role_id}', {
          params: { role_id: role.role_id },
          body: { rules: role.rules, revision: role.revision },
        })
        // One by one: when a later role is refused, the earlier ones are saved and stay so.
        setChanges((before) => before.filter(({ role_id }) => role_id !== stored.role_id))
        queryClient.setQueryData(rolesQuery.queryKey, (list) =>
          list?.map((one) => (one.role_id === stored.role_id ? stored : one)),
        )
      }
    },
    onSuccess: () => {
      toast({ text: t('roles.saved'), tone: 'ok' })
      announce(t('roles.saved'))
    },
    // After a refusal, too: the newer rules come, and the changes are laid over them.
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: rolesQuery.queryKey })
      void queryClient.invalidateQueries({ queryKey: ['tools'] })
      void queryClient.invalidateQueries({ queryKey: ['session'] })
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
