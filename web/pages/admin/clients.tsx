import { useQuery } from '@tanstack/react-query'
import { ClientHosts } from '../../admin/clients/client-hosts.tsx'
import { ClientList } from '../../admin/clients/client-list.tsx'
import { clientsQuery } from '../../admin/clients/clients-query.ts'
import { Notice } from '../../parts/feedback/notice.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { Page } from '../../parts/layout/page.tsx'
import { t } from '../../text/i18n.ts'

/** Which MCP clients may ask people for access. */
export function ClientsPage() {
  const query = useQuery(clientsQuery)
  return (
    <Page title={t('admin.clients')}>
      <div className="max-w-3xl space-y-8">
        <p className="text-muted max-w-prose">{t('clients.text')}</p>
        <QueryView
          query={query}
          failed={t('clients.load_failed')}
          loading={<SkeletonRows rows={2} className="h-20 rounded-lg" />}
        >
          {({ available, items, hosts }) => (
            <>
              {!available && <Notice tone="warn">{t('clients.unavailable')}</Notice>}
              <ClientList clients={items} />
              <ClientHosts key={hosts.join()} stored={hosts} />
            </>
          )}
        </QueryView>
      </div>
    </Page>
  )
}
