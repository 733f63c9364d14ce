import { useQueryClient } from '@tanstack/react-query'
import type { ModuleDetail } from '../../../contract/modules.ts'
import { call } from '../../client/api.ts'
import { ConnectionControls } from '../../connections/connection-controls.tsx'
import { ReturnedNotice } from '../../connections/returned-notice.tsx'
import { t } from '../../text/i18n.ts'
import { Panel } from '../../parts/layout/panel.tsx'
import { moduleQuery } from '../list/module-queries.ts'

/** The connection by which a remote module is reached, if it is one by OAuth. */
export function ModuleConnection({ module }: { readonly module: ModuleDetail }) {
  const queryClient = useQueryClient()
  const { name, connection } = module
  if (connection === null) return null
  const params = { module_name: name }
  return (
    <div className="mb-5 space-y-4">
      <ReturnedNotice />
      <Panel>
        <ConnectionControls
          title={t(connection.sign_in === 'shared' ? 'connections.for_all' : 'connections.for_list')}
          name={module.display_name}
          connection={connection}
          // Why it is not connected is what the whole page says.
          problem={connection.status === 'connected' ? (connection.problem ?? null) : null}
          connect={() => call('POST /api/modules/{module_name}/connection', { params })}
          disconnect={() => call('DELETE /api/modules/{module_name}/connection', { params })}
          onChanged={() => void queryClient.invalidateQueries({ queryKey: moduleQuery(name).queryKey })}
        />
      </Panel>
    </div>
  )
}
