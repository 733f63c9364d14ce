import { Blocks, Upload } from 'lucide-react'
import { useState } from 'react'
import type { ModuleEntry } from '../../../contract/modules.ts'
import { classNames } from '../../parts/class-names.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { findModules, MODULE_FILTERS, type ModuleFilter } from './find-modules.ts'
import { ModuleRow } from './module-row.tsx'

/** The catalogue, with search and a state filter. */
export function ModuleList({
  modules,
  onInstall,
}: {
  readonly modules: readonly ModuleEntry[]
  readonly onInstall: () => void
}) {
  const [search, setSearch] = useState('')
  const [filter, setFilter] = useState<ModuleFilter>('all')
  const found = findModules(modules, search, filter)
  if (modules.length === 0) {
    return (
      <Panel>
        <EmptyState
          icon={Blocks}
          title={t('modules.empty_title')}
          text={t('modules.empty_text')}
          actions={
            <Button icon={Upload} onClick={onInstall}>
              {t('modules.install')}
            </Button>
          }
        />
      </Panel>
    )
  }
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <TextField
          label={t('modules.search')}
          hideLabel
          type="search"
          value={search}
          onChange={setSearch}
          placeholder={t('modules.search')}
          className="min-w-0 flex-1 basis-56"
        />
        <div role="group" aria-label={t('modules.filter')} className="flex flex-wrap gap-1">
          {MODULE_FILTERS.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === filter}
              onClick={() => setFilter(one)}
              className={classNames(
                'h-8 rounded-md px-2.5 text-sm font-medium',
                one === filter ? 'bg-accent-soft text-accent' : 'text-muted hover:bg-hover hover:text-ink',
              )}
            >
              {t(`modules.filter_${one}`)}{' '}
              <span className="tabular font-normal">{findModules(modules, '', one).length}</span>
            </button>
          ))}
        </div>
      </div>
      {found.length > 0 ? (
        <Panel>
          <ul aria-label={t('modules.title')} className="divide-line divide-y">
            {found.map((module) => (
              <ModuleRow key={module.name} module={module} />
            ))}
          </ul>
        </Panel>
      ) : (
        <p role="status" className="text-muted px-1 py-4">
          {t('modules.no_match')}{' '}
          <button
            type="button"
            className="text-accent underline underline-offset-2"
            onClick={() => {
              setSearch('')
              setFilter('all')
            }}
          >
            {t('modules.show_all')}
          </button>
        </p>
      )}
    </div>
  )
}
