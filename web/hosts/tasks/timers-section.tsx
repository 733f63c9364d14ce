import { t } from '../../text/i18n.ts'
import type { HostSectionProps } from './host-section.ts'
import { LookTable } from './look-table.tsx'
import { LookView } from './look-view.tsx'
import { stateOf, unitOperations } from './services-section.tsx'

/** The timers of the machine, those that are due first at the top. */
export function TimersSection({ host }: HostSectionProps) {
  return (
    <LookView host={host} tool="timers" args={{ limit: 1000 }}>
      {({ tables: [table] }) =>
        table && (
          <LookTable
            table={table}
            columns={['timer', 'state', 'starts', 'next', 'last', 'at_boot']}
            cells={{ state: stateOf }}
            operations={(row) => unitOperations(String(row['timer']), row)}
            empty={t('hosts.timers_none')}
          />
        )
      }
    </LookView>
  )
}
