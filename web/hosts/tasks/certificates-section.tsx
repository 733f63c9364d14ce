import { Status } from '../../parts/feedback/status.tsx'
import { t } from '../../text/i18n.ts'
import type { HostSectionProps } from './host-section.ts'
import { LookTable } from './look-table.tsx'
import { LookView } from './look-view.tsx'
import type { LookRow } from './look-query.ts'

/** Days in which somebody should see to it. */
const SOON = 30

/** The certificates that servers of the machine usually have, those that end first at the top. */
export function CertificatesSection({ host }: HostSectionProps) {
  return (
    <LookView host={host} tool="certificates" args={{ limit: 1000 }}>
      {({ tables: [table] }) =>
        table && (
          <LookTable
            table={table}
            columns={['subject', 'days', 'until', 'names', 'issuer', 'file']}
            cells={{ days: DaysLeft }}
            empty={t('hosts.certificates_none')}
          />
        )
      }
    </LookView>
  )
}

function DaysLeft({ days }: LookRow) {
  if (typeof days !== 'number') return '–'
  const tone = days < 0 ? 'danger' : days < SOON ? 'warn' : 'ok'
  return <Status tone={tone} label={days < 0 ? t('hosts.certificate_ended') : t('hosts.days', { count: days })} />
}
