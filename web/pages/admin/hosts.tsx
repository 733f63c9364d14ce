import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Plus, SearchX } from 'lucide-react'
import { useState } from 'react'
import { CONDITIONS, type HostSearch } from '../../hosts/find-hosts.ts'
import { HostDialog } from '../../hosts/host-dialog.tsx'
import { HostList } from '../../hosts/host-list.tsx'
import { HostView } from '../../hosts/host-view.tsx'
import { hostsQuery } from '../../hosts/hosts-query.ts'
import { SshKeysPart } from '../../hosts/ssh-keys-part.tsx'
import { Button } from '../../parts/controls/button.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { Page } from '../../parts/layout/page.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { t } from '../../text/i18n.ts'

const route = getRouteApi('/app/admin/$page')

/** The machines, and each of them: `host` in the address is the id of the one that is shown. */
export function HostsPage() {
  const { q = '', state, tag = null, host: shown } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(hostsQuery)
  const [adding, setAdding] = useState(false)
  const search: HostSearch = { q, state: CONDITIONS.find((one) => one === state) ?? null, tag }
  const onSearch = (next: HostSearch): void =>
    void navigate({
      replace: true,
      search: {
        ...(next.q === '' ? {} : { q: next.q }),
        ...(next.state === null ? {} : { state: next.state }),
        ...(next.tag === null ? {} : { tag: next.tag }),
      },
    })
  return (
    <Page
      title={t('admin.hosts')}
      actions={
        // Where there is only one, the page itself asks for another.
        shown === undefined &&
        (query.data?.items.length ?? 0) > 1 && (
          <Button variant="primary" icon={Plus} aria-label={t('hosts.add')} onClick={() => setAdding(true)}>
            <span className="max-sm:hidden">{t('hosts.add')}</span>
          </Button>
        )
      }
    >
      <QueryView
        query={query}
        failed={t('hosts.load_failed')}
        loading={<SkeletonRows rows={5} className="h-11 rounded-lg" />}
      >
        {({ items }) => {
          if (shown === undefined)
            return (
              <div className="space-y-8">
                <HostList hosts={items} search={search} onSearch={onSearch} onAdd={() => setAdding(true)} />
                {items.length > 1 && <SshKeysPart />}
              </div>
            )
          const host = items.find(({ host_id }) => host_id === shown)
          return host === undefined ? <NoSuchHost /> : <HostView key={shown} host={host} hosts={items} />
        }}
      </QueryView>
      {adding && (
        <HostDialog
          host={null}
          hosts={query.data?.items ?? []}
          onClose={() => setAdding(false)}
          onSaved={({ host_id }) => {
            setAdding(false)
            void navigate({ search: { host: host_id } })
          }}
        />
      )}
    </Page>
  )
}

/** The address of one that was removed since. */
function NoSuchHost() {
  return (
    <Panel>
      <EmptyState
        icon={SearchX}
        title={t('hosts.gone')}
        actions={
          <Link to="/admin/$page" params={{ page: 'hosts' }} className="text-accent underline underline-offset-2">
            {t('hosts.back')}
          </Link>
        }
      />
    </Panel>
  )
}
