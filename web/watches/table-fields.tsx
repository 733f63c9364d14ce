import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { WATCH_LIMITS } from '../../contract/watch-limits.ts'
import type { ArgumentField } from '../arguments/argument-fields.ts'
import { ArgumentsEditor } from '../arguments/arguments-editor.tsx'
import { toolsQuery } from '../client/queries.ts'
import { Button } from '../parts/controls/button.tsx'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { SelectField } from '../parts/controls/select-field.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { t } from '../text/i18n.ts'
import type { SaidFault, WatchDraft } from './watch-draft.ts'
import type { Tried } from './watches-query.ts'

interface TableFieldsProps {
  readonly draft: WatchDraft
  readonly columns: Tried['columns']
  /** For the arguments of its tool: undefined until they are loaded, null where there is no such tool. */
  readonly fields: readonly ArgumentField[] | null | undefined
  readonly checked: boolean
  error(fault: SaidFault): string | null
  onChange(patch: Partial<WatchDraft>): void
}

const OPS = ['is', 'is_not', 'contains'] as const

/** A tool that reads, its arguments, and which rows and column of its table count. */
export function TableFields({ draft, columns, fields, checked, error, onChange }: TableFieldsProps) {
  const tools = useQuery(toolsQuery).data?.items ?? []
  const readable = tools.filter(({ effect, policy }) => effect === 'read' && policy === 'allow')
  const named = readable.map(({ module, tool, title }) => ({
    value: `${module}.${tool}`,
    label: `${title} (${module}.${tool})`,
  }))
  const choices = (stored: string) => {
    const known = columns.map(({ key, label }) => ({ value: key, label }))
    return stored === '' || known.some(({ value }) => value === stored)
      ? known
      : [...known, { value: stored, label: stored }]
  }
  const setFilter = (at: number, patch: Partial<WatchDraft['where'][number]>): void =>
    onChange({ where: draft.where.map((filter, index) => (index === at ? { ...filter, ...patch } : filter)) })
  return (
    <>
      <SelectField
        label={t('watches.tool')}
        value={draft.tool}
        onChange={(tool) => onChange({ tool, column: '', key: '', where: [] })}
        error={error('tool')}
        options={[
          { value: '', label: t('watches.choose_tool') },
          ...named,
          ...(draft.tool !== '' && !named.some(({ value }) => value === draft.tool)
            ? [{ value: draft.tool, label: draft.tool }]
            : []),
        ]}
      />
      {draft.tool !== '' &&
        (fields === undefined ? (
          <SkeletonRows rows={2} className="h-9" />
        ) : (
          <ArgumentsEditor
            tool={draft.tool}
            fields={fields}
            label={t('watches.arguments')}
            note={fields === null ? t('arguments.not_there') : t('watches.arguments_hint')}
            draft={draft.args}
            checked={checked}
            onChange={(args) => onChange({ args })}
          />
        ))}
      <SelectField
        label={t('watches.column')}
        hint={columns.length === 0 ? t('watches.column_hint') : undefined}
        value={draft.column}
        onChange={(column) => onChange({ column })}
        options={[{ value: '', label: t('watches.row_count') }, ...choices(draft.column)]}
      />
      {draft.column !== '' && (
        <SelectField
          label={t('watches.key')}
          value={draft.key}
          onChange={(key) => onChange({ key })}
          options={[{ value: '', label: t('watches.worst_row') }, ...choices(draft.key)]}
        />
      )}
      <div className="space-y-2">
        {draft.where.length > 1 && (
          <SelectField
            label={t('watches.match')}
            value={draft.match === 'any' ? 'any' : 'all'}
            onChange={(match) => onChange({ match: match as WatchDraft['match'] })}
            options={[
              { value: 'all', label: t('watches.match_all') },
              { value: 'any', label: t('watches.match_any') },
            ]}
          />
        )}
        {draft.where.map((filter, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- rows have no name of their own
          <div key={at} className="flex flex-wrap items-end gap-2">
            <SelectField
              label={t('watches.filter_column')}
              hideLabel={at > 0}
              value={filter.column}
              onChange={(column) => setFilter(at, { column })}
              options={[{ value: '', label: '–' }, ...choices(filter.column)]}
              className="min-w-0 flex-1 max-sm:basis-full"
            />
            <SelectField
              label={t('watches.filter_op')}
              hideLabel={at > 0}
              value={filter.op}
              onChange={(op) => setFilter(at, { op: op as (typeof OPS)[number] })}
              options={OPS.map((op) => ({ value: op, label: t(`watches.op_${op}`) }))}
              className="min-w-0 flex-1"
            />
            <TextField
              label={t('watches.filter_value')}
              hideLabel={at > 0}
              value={filter.value}
              onChange={(value) => setFilter(at, { value })}
              maxLength={WATCH_LIMITS.text}
              autoComplete="off"
              className="min-w-0 flex-1"
            />
            <IconButton
              label={t('watches.filter_remove')}
              icon={X}
              onClick={() => onChange({ where: draft.where.filter((_, index) => index !== at) })}
            />
          </div>
        ))}
        {draft.where.length < WATCH_LIMITS.filters && (
          <Button
            size="sm"
            icon={Plus}
            onClick={() => onChange({ where: [...draft.where, { column: '', op: 'is', value: '' }] })}
          >
            {t('watches.filter_add')}
          </Button>
        )}
      </div>
    </>
  )
}
