import { useInfiniteQuery } from '@tanstack/react-query'
import { ChangeList } from '../../changes/change-list.tsx'
import { changesQuery } from '../../changes/changes-query.ts'
import { t } from '../../text/i18n.ts'
import type { HostSectionProps } from './host-section.ts'

/** What calls have changed on this machine, newest first, each to be taken back where it can be. */
export function ChangesSection({ host }: HostSectionProps) {
  const query = useInfiniteQuery(changesQuery({ host: host.name }))
  const none = (days: number) => ({ title: t('hosts.changes_none'), text: t('hosts.changes_text', { days }) })
  return <ChangeList query={query} none={none} />
}
