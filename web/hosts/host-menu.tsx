import { Ellipsis } from 'lucide-react'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { Menu, type MenuEntry } from '../parts/controls/menu.tsx'
import { t } from '../text/i18n.ts'
import { useOperations } from './tasks/operations-context.ts'
import { powerOperations } from './tasks/power-operations.ts'

interface HostMenuProps {
  readonly name: string
  /** Nothing connects to it, or nobody has confirmed its host key: it can't be switched. */
  readonly reachable: boolean
  /** What concerns Reeve rather than the machine. */
  readonly entries: readonly MenuEntry[]
}

/** What can be done with a machine as a whole. */
export function HostMenu({ name, reachable, entries }: HostMenuProps) {
  const { begin, whyNot } = useOperations()
  const why = whyNot('power')
  const power = powerOperations(name).map((operation): MenuEntry => {
    const { label, icon, danger = false } = operation
    return { label, icon, danger, disabled: why !== null, onSelect: () => begin(operation) }
  })
  const whole: readonly MenuEntry[] = [
    ...(why === null ? [] : [{ heading: t('hosts.denied'), text: why }]),
    ...power,
    ...(entries.length > 0 ? ['separator' as const] : []),
  ]
  return (
    <Menu
      align="end"
      trigger={<IconButton label={t('users.menu', { name })} icon={Ellipsis} variant="secondary" />}
      entries={[...(reachable ? whole : []), ...entries]}
    />
  )
}
