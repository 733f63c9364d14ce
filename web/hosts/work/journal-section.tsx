import { Eraser } from 'lucide-react'
import { useState } from 'react'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import { t } from '../../text/i18n.ts'
import type { HostSectionProps } from './host-section.ts'
import { LookTable } from './look-table.tsx'
import { LookView } from './look-view.tsx'
import type { LookRow } from './look-query.ts'
import type { Operation } from './operation.ts'
import { OperationButton } from './operation-buttons.tsx'

const PRIORITIES = ['all', 'err', 'warning'] as const
const TROUBLE = /^(?:emerg|alert|crit|err)/

/** The newest entries of the journal, the newest first. */
export function JournalSection({ host }: HostSectionProps) {
  const [priority, setPriority] = useState<string>('all')
  return (
    <LookView
      host={host}
      tool="logs"
      args={{ lines: 500, ...(priority !== 'all' && { priority }) }}
      actions={
        <>
          <SelectField
            label={t('hosts.journal_priority')}
            hideLabel
            value={priority}
            onChange={setPriority}
            options={PRIORITIES.map((value) => ({ value, label: t(`hosts.journal_${value}`) }))}
          />
          <OperationButton operation={vacuum()} />
        </>
      }
    >
      {({ tables: [table] }) =>
        table && (
          <LookTable
            table={{ ...table, rows: table.rows.toReversed() }}
            columns={['at', 'source', 'priority', 'message']}
            cells={{ priority: Priority }}
            empty={t('hosts.journal_none')}
          />
        )
      }
    </LookView>
  )
}

function Priority({ priority }: LookRow) {
  const text = String(priority ?? '')
  const tone = TROUBLE.test(text) ? 'danger' : text === 'warning' ? 'warn' : 'neutral'
  return <Status tone={tone} label={text} />
}

function vacuum(): Operation {
  const label = t('hosts.journal_vacuum')
  return {
    label,
    title: label,
    icon: Eraser,
    tool: 'journal_vacuum',
    args: {},
    fields: [{ name: 'days', label: t('hosts.journal_days'), kind: 'number', initial: '30' }],
  }
}
