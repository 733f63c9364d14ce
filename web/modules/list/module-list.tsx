import { Blocks, PackagePlus } from 'lucide-react'
import { useState } from 'react'
import type { ModuleEntry } from '../../../contract/modules.ts'
import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { countText, FilterBar } from '../../parts/filters/filter-bar.tsx'
import { FilterChoice } from '../../parts/filters/filter-choice.tsx'
import { useNow } from '../../shell/use-now.ts'
import { useUpdates } from '../add/additions-query.ts'
import { findModules, MODULE_FILTERS, type ModuleFilter } from './find-modules.ts'
import { ModuleRow } from './module-row.tsx'

/** The catalogue, with search and a state filter. */
export function ModuleList({
  modules,
  onAdd,
}: {
  readonly modules: readonly ModuleEntry[]
  readonly onAdd: () => void
}) {
  const [search, setSearch] = useState('')
  const [filter, setFilter] = useState<ModuleFilter | ''>('')
  const showAll = (): void => {
    setSearch('')
    setFilter('')
  }
  const now = useNow(60_000)
  const newer = new Set(useUpdates().map(({ module }) => module))
  const find = (words: string, only: ModuleFilter | ''): readonly ModuleEntry[] =>
    findModules(modules, { search: words, filter: only, newer, now })
  const found = find(search, filter)
  // What nobody asked the registry for is not known, and is no choice.
  const filters = MODULE_FILTERS.filter((one) => one !== 'updates' || newer.size > 0 || filter === one)
  if (modules.length === 0) {
    return (
      <Panel>
        <EmptyState
          icon={Blocks}
          title={t('modules.empty_title')}
          text={t('modules.empty_text')}
          actions={
            <Button icon={PackagePlus} onClick={onAdd}>
              {t('modules.add')}
            </Button>
          }
        />
      </Panel>
    )
  }
  return (
    <div className="space-y-3">
      <FilterBar
        search={{ label: t('modules.search'), value: search, onChange: setSearch, here: true }}
        set={[search.trim() !== '', filter].filter(Boolean).length}
        onClear={showAll}
        count={countText(found.length)}
      >
        <FilterChoice
          label={t('modules.filter')}
          value={filter}
          onChange={(value) => setFilter(value as ModuleFilter | '')}
          any={t('runs.state_any')}
          options={filters.map((one) => ({
            value: one,
            label: `${t(`modules.filter_${one}`)} · ${formatNumber(find('', one).length)}`,
          }))}
        />
      </FilterBar>
      {found.length > 0 ? (
        <Panel>
          <ul aria-label={t('nav.modules')} className="divide-line divide-y">
            {found.map((module) => (
              <ModuleRow key={module.name} module={module} />
            ))}
          </ul>
        </Panel>
      ) : (
        <p role="status" className="text-muted px-1 py-4">
          {t('modules.no_match')}{' '}
          <button type="button" className="text-accent underline underline-offset-2" onClick={showAll}>
            {t('modules.show_all')}
          </button>
        </p>
      )}
    </div>
  )
}
