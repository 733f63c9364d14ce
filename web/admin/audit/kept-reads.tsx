import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { t } from '../../text/i18n.ts'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { rolesOfUsersQuery } from '../../modules/list/module-queries.ts'

const CHOICES = ['off', 'count', 'full'] as const

/** For each role: what the log keeps of calls that only read. */
export function KeptReads() {
  const roles = useQuery(rolesOfUsersQuery).data ?? []
  const queryClient = useQueryClient()
  const save = useMutation({
    mutationFn: ({ role_id, kept }: { role_id: string; kept: (typeof CHOICES)[number] }) =>
      call('PATCH /api/admin/roles/{role_id}', { params: { role_id }, body: { audit_reads: kept } }),
    onSuccess: () => toast({ text: t('audit.reads_saved'), tone: 'ok' }),
    onError: (error) => toast({ text: `${t('audit.reads_failed')}. ${explainError(error)}`, tone: 'danger' }),
    onSettled: () => {
      for (const queryKey of [rolesOfUsersQuery.queryKey, ['audit']]) void queryClient.invalidateQueries({ queryKey })
    },
  })
  return (
    <details>
      <summary className="text-accent w-fit text-sm font-medium">{t('audit.reads_title')}</summary>
      <div className="space-y-3 pt-3">
        <p className="text-muted max-w-prose">{t('audit.reads_text')}</p>
        <div className="grid gap-3 sm:grid-cols-3 lg:grid-cols-4">
          {roles.map(({ role_id, name, audit_reads }) => (
            <SelectField
              key={role_id}
              label={name}
              value={audit_reads}
              disabled={save.isPending}
              onChange={(value) => save.mutate({ role_id, kept: CHOICES.find((one) => one === value) ?? 'count' })}
              options={CHOICES.map((value) => ({ value, label: t(`audit.reads_${value}`) }))}
            />
          ))}
        </div>
      </div>
    </details>
  )
}
