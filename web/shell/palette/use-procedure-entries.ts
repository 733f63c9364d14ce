import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ListChecks } from 'lucide-react'
import { proceduresQuery } from '../../procedures/procedures-query.ts'
import { t } from '../../text/i18n.ts'
import type { PaletteEntry } from './palette-entry.ts'

/** The procedures that the reader sees; only asked for with a query. */
export function useProcedureEntries(enabled: boolean): readonly PaletteEntry[] {
  const navigate = useNavigate()
  const procedures = useQuery({ ...proceduresQuery, enabled }).data?.items ?? []
  return (enabled ? procedures : []).map(({ procedure_id, name, description }) => ({
    id: `procedure:${procedure_id}`,
    group: 'pages',
    title: name,
    icon: ListChecks,
    detail: t('nav.procedures'),
    keywords: `${t('nav.procedures')} ${description}`,
    run: () => void navigate({ to: '/procedures/$id', params: { id: procedure_id } }),
  }))
}
