import { Ellipsis } from 'lucide-react'
import { Button } from '../../parts/controls/button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { Menu, type MenuEntry } from '../../parts/controls/menu.tsx'
import { t } from '../../text/i18n.ts'
import type { Operation } from './operation.ts'
import { useOperations } from './operations-context.ts'

/** A button for one operation; where the person may not do it, disabled, with why. */
export function OperationButton({ operation }: { readonly operation: Operation }) {
  const { begin, whyNot, busy } = useOperations()
  const why = whyNot(operation.tool)
  return (
    <Button
      size="sm"
      icon={operation.icon}
      disabled={why !== null || busy}
      title={why ?? undefined}
      onClick={() => begin(operation)}
    >
      {operation.label}
      {why !== null && <span className="sr-only">{why}</span>}
    </Button>
  )
}

export interface OperationMenuProps {
  /** What they are about: `nginx.service`. */
  readonly about: string
  readonly operations: readonly Operation[]
}

/** The operations of one row as a menu; a rule's reason stands above those that it denies. */
export function OperationMenu({ about, operations }: OperationMenuProps) {
  const { begin, whyNot, busy } = useOperations()
  const entries = operations.map(({ label, icon, danger = false, tool }, index): MenuEntry => {
    const operation = operations[index]!
    return { label, icon, danger, disabled: whyNot(tool) !== null || busy, onSelect: () => begin(operation) }
  })
  const denied = [...new Set(operations.flatMap(({ tool }) => whyNot(tool) ?? []))]
  return (
    <Menu
      align="end"
      trigger={<IconButton label={t('users.menu', { name: about })} icon={Ellipsis} size="sm" />}
      entries={[...denied.map((why) => ({ heading: t('hosts.denied'), text: why })), ...entries]}
    />
  )
}
