import { useEffect, useState } from 'react'
import type { FileSort } from '../../contract/files.ts'
import { t } from '../text/i18n.ts'
import { SelectField } from '../parts/controls/select-field.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { FILE_SORTS, SHOWN_KINDS, type FileSearch, type ShownKind } from './files-search.ts'

/** Milliseconds between the last key and the search. */
const TYPING = 200

interface FileFiltersProps {
  readonly search: FileSearch
  onChange(search: FileSearch): void
}

/** Search, type filter and sort order of the list. */
export function FileFilters({ search, onChange }: FileFiltersProps) {
  const [text, setText] = useState(search.q)
  useEffect(() => setText(search.q), [search.q])
  useEffect(() => {
    if (text === search.q) return undefined
    const timer = setTimeout(() => onChange({ ...search, q: text }), TYPING)
    return () => clearTimeout(timer)
  }, [text, search, onChange])
  return (
    <div className="border-line grid shrink-0 grid-cols-2 gap-2 border-b p-3">
      <TextField
        label={t('files.search')}
        hideLabel
        type="search"
        value={text}
        onChange={setText}
        placeholder={t('files.search')}
        className="col-span-2"
      />
      <SelectField
        label={t('files.kind')}
        value={search.kind ?? ''}
        onChange={(kind) => onChange({ ...search, kind: kind === '' ? null : (kind as ShownKind) })}
        options={[
          { value: '', label: t('files.kind_all') },
          ...SHOWN_KINDS.map((kind) => ({ value: kind, label: t(`files.kind_${kind}`) })),
        ]}
      />
      <SelectField
        label={t('files.sort')}
        value={search.sort}
        onChange={(sort) => onChange({ ...search, sort: sort as FileSort })}
        options={FILE_SORTS.map((sort) => ({ value: sort, label: t(`files.sort_${sort}`) }))}
      />
    </div>
  )
}
