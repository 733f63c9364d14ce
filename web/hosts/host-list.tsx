import { Plus, SearchX, Server } from 'lucide-react'
import { Button } from '../parts/controls/button.tsx'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { countText, FilterBar } from '../parts/filters/filter-bar.tsx'
import { FilterChoice } from '../parts/filters/filter-choice.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { t } from '../text/i18n.ts'
import {
  conditionOf,
  CONDITIONS,
  EVERY_MACHINE,
  findHosts,
  type HostCondition,
  type HostSearch,
  tagsOf,
} from './find-hosts.ts'
import { HostRow } from './host-row.tsx'
import type { Host } from './hosts-query.ts'

interface HostListProps {
  readonly hosts: readonly Host[]
  readonly search: HostSearch
  onSearch(search: HostSearch): void
  onAdd(): void
}

/** The machines by words, condition and tag. Where there is only the local one, what another one would bring. */
export function HostList({ hosts, search, onSearch, onAdd }: HostListProps) {
  const found = findHosts(hosts, search)
  const conditions = CONDITIONS.filter((condition) => hosts.some((host) => conditionOf(host) === condition))
  const alone = hosts.length <= 1
  return (
    <div className="space-y-4">
      {!alone && (
        <FilterBar
          search={{
            label: t('hosts.search'),
            value: search.q,
            onChange: (q) => onSearch({ ...search, q }),
            here: true,
          }}
          set={[search.q !== '', search.state, search.tag].filter(Boolean).length}
          onClear={() => onSearch(EVERY_MACHINE)}
          count={countText(found.length)}
        >
          <FilterChoice
            label={t('hosts.state')}
            value={search.state ?? ''}
            onChange={(state) => onSearch({ ...search, state: state === '' ? null : (state as HostCondition) })}
            any={t('runs.state_any')}
            options={conditions.map((state) => ({ value: state, label: t(`hosts.state_${state}`) }))}
          />
          <FilterChoice
            label={t('hosts.tag')}
            value={search.tag ?? ''}
            onChange={(tag) => onSearch({ ...search, tag: tag === '' ? null : tag })}
            any={t('hosts.tag_any')}
            options={tagsOf(hosts).map((tag) => ({ value: tag, label: `#${tag}` }))}
          />
        </FilterBar>
      )}
      <Panel>
        {found.length === 0 ? (
          <EmptyState
            icon={SearchX}
            title={t('hosts.none_found')}
            actions={<Button onClick={() => onSearch(EVERY_MACHINE)}>{t('users.show_all')}</Button>}
          />
        ) : (
          <ul aria-label={t('admin.hosts')} className="divide-line divide-y">
            {found.map((host) => (
              <HostRow key={host.host_id} host={host} />
            ))}
          </ul>
        )}
      </Panel>
      {alone && (
        <Panel>
          <EmptyState
            icon={Server}
            title={t('hosts.none')}
            text={t('hosts.none_text')}
            actions={
              <Button variant="primary" icon={Plus} onClick={onAdd}>
                {t('hosts.add')}
              </Button>
            }
          />
        </Panel>
      )}
    </div>
  )
}
