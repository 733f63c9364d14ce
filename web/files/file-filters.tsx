import type { FileSort } from '../../contract/files.ts'
import { t } from '../text/i18n.ts'
import { FilterBar } from '../parts/filters/filter-bar.tsx'
import { FilterChoice } from '../parts/filters/filter-choice.tsx'
import { FILE_SORTS, SHOWN_KINDS, type FileSearch, type ShownKind } from './files-search.ts'

interface FileFiltersProps {
  readonly search: FileSearch
  onChange(search: FileSearch): void
  readonly count: string | null
}

/** Search, type filter and sort order of the list. */
export function FileFilters({ search, onChange, count }: FileFiltersProps) {
  return (
    <div className="border-line shrink-0 border-b p-3 pb-1">
      <FilterBar
        search={{ label: t('files.search'), value: search.q, onChange: (q) => onChange({ ...search, q }) }}
        set={[search.q !== '', search.kind].filter(Boolean).length}
        onClear={() => onChange({ ...search, q: '', kind: null })}
        count={count}
      >
        <FilterChoice
          label={t('files.kind')}
          value={search.kind ?? ''}
          onChange={(kind) => onChange({ ...search, kind: kind === '' ? null : (kind as ShownKind) })}
          any={t('files.kind_all')}
          options={SHOWN_KINDS.map((kind) => ({ value: kind, label: t(`files.kind_${kind}`) }))}
        />
        <FilterChoice
          label={t('files.sort')}
          value={search.sort}
          onChange={(sort) => onChange({ ...search, sort: sort as FileSort })}
          options={FILE_SORTS.map((sort) => ({ value: sort, label: t(`files.sort_${sort}`) }))}
        />
      </FilterBar>
    </div>
  )
}
