import { Eraser } from 'lucide-react'
import { t } from '../../text/i18n.ts'
import { LiveJournal } from '../journal/live-journal.tsx'
import type { HostSectionProps } from './host-section.ts'
import type { Operation } from './operation.ts'
import { OperationButton } from './operation-buttons.tsx'

/** The log of a machine as it is written, and removing old entries of it. */
export function JournalSection({ host }: HostSectionProps) {
  return <LiveJournal host={host} actions={<OperationButton operation={vacuum()} />} />
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
