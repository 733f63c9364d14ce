import { useQuery } from '@tanstack/react-query'
import { Bookmark, X } from 'lucide-react'
import { useState } from 'react'
import { sessionQuery } from '../../client/queries.ts'
import { readRecord, keepRecord } from '../../commands/stored-record.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import type { AuditSearch } from './audit-query.ts'

interface SavedViewsProps {
  readonly search: AuditSearch
  onSearch(search: AuditSearch): void
}

/** Filters kept under a name in this browser, for each user: a click applies one. */
export function SavedViews({ search, onSearch }: SavedViewsProps) {
  const key = `reeve.audit-views.${useQuery(sessionQuery).data?.user.id ?? ''}`
  const [views, setViews] = useState(() => readRecord(key))
  const [name, setName] = useState<string | null>(null)
  const keep = (next: Record<string, unknown>): void => {
    keepRecord(key, next)
    setViews(next)
  }
  const filtered = Object.values(search).some((value) => value !== undefined && value !== '')
  const names = Object.keys(views)
  if (names.length === 0 && !filtered) return null
  return (
    <div className="flex flex-wrap items-center gap-2">
      {names.length > 0 && (
        <ul aria-label={t('audit.views')} className="contents">
          {names.map((view) => (
            <li key={view} className="border-line bg-surface flex items-center rounded-md border ps-0.5">
              <Button size="sm" variant="ghost" icon={Bookmark} onClick={() => onSearch(views[view] as AuditSearch)}>
                {view}
              </Button>
              <IconButton
                size="sm"
                icon={X}
                label={t('audit.view_delete', { name: view })}
                onClick={() => keep(Object.fromEntries(Object.entries(views).filter(([one]) => one !== view)))}
              />
            </li>
          ))}
        </ul>
      )}
      {filtered && name === null && (
        <Button size="sm" onClick={() => setName('')}>
          {t('audit.view_save')}
        </Button>
      )}
      {name !== null && (
        <form
          className="flex items-center gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            if (name.trim() === '') return
            keep({ ...views, [name.trim()]: search })
            setName(null)
          }}
        >
          <TextField
            label={t('audit.view_name')}
            hideLabel
            placeholder={t('audit.view_name')}
            value={name}
            onChange={setName}
            maxLength={60}
            autoFocus
          />
          <Button type="submit">{t('action.save')}</Button>
        </form>
      )}
    </div>
  )
}
