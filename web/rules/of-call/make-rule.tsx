import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ListFilterPlus } from 'lucide-react'
import { HOST_ARGUMENT, MACHINE_MODULE } from '../../../contract/host-values.ts'
import { sessionQuery } from '../../client/queries.ts'
import { Button } from '../../parts/controls/button.tsx'
import { t } from '../../text/i18n.ts'
import { handCall } from './handed-call.ts'

interface MakeRuleProps {
  readonly module: string
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** For administrators: the form for a rule, filled in from a call. */
export function MakeRule({ module, tool, arguments: args }: MakeRuleProps) {
  const admin = useQuery(sessionQuery).data?.user?.admin === true
  const navigate = useNavigate()
  if (!admin) return null
  const code = `${module}.${tool}`
  // Where a call runs is for the subject of a rule, not for its conditions.
  const ruled = Object.fromEntries(
    Object.entries(args).filter(([name]) => module !== MACHINE_MODULE || name !== HOST_ARGUMENT),
  )
  return (
    <Button
      size="sm"
      variant="ghost"
      icon={ListFilterPlus}
      className="text-muted -ms-2.5"
      onClick={() => {
        handCall({ tool: code, args: ruled })
        void navigate({ to: '/admin/$page', params: { page: 'roles' }, search: { tool: code } })
      }}
    >
      {t('rule_form.of_call')}
    </Button>
  )
}
