import { useQueries, useQuery } from '@tanstack/react-query'
import { t } from '../../text/i18n.ts'
import { moduleQuery, modulesQuery } from '../../modules/list/module-queries.ts'
import { proceduresQuery } from '../../procedures/procedures-query.ts'
import { PERMISSIONS } from './permission-group.ts'

interface NamedTool {
  /** What the policy engine can be asked about. */
  readonly value: string
  readonly label: string
}

/** Everything that the policy engine can be asked about: permissions, the tools of all modules, and procedures. */
export function useToolNames(): readonly NamedTool[] {
  const modules = useQuery(modulesQuery).data ?? []
  const details = useQueries({ queries: modules.map(({ name }) => moduleQuery(name)) })
  const tools = details.flatMap(({ data }) =>
    data === undefined
      ? []
      : data.tools.map(({ name, title }) => ({
          value: `${data.name}.${name}`,
          label: `${title} – ${data.display_name}`,
        })),
  )
  const procedures = (useQuery(proceduresQuery).data?.items ?? []).map(({ procedure_id, name }) => ({
    value: `procedure:${procedure_id}`,
    label: name,
  }))
  return [
    ...PERMISSIONS.map(({ permission, label }) => ({ value: permission, label: t(label) })),
    ...procedures,
    ...tools,
  ]
}
