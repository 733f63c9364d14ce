import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import type { Table } from '../../../contract/chat.ts'
import type { Output } from '../../client/api-types.ts'
import { t } from '../../text/i18n.ts'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { Skeleton, SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { usageQuery } from './limits-query.ts'

const UsageChart = lazy(async () => ({ default: (await import('../../dashboard/usage-chart.tsx')).UsageChart }))
const AnswerTable = lazy(async () => ({ default: (await import('../../tables/answer-table.tsx')).AnswerTable }))
const PERIODS = [7, 30, 90, 365]

type Usage = Output<'GET /api/admin/usage'>

/** AI engine usage of all users: by day as a chart, by user and model as tables that can be exported. */
export function UsageOfAll() {
  const [days, setDays] = useState(30)
  const query = useQuery({ ...usageQuery(days), placeholderData: keepPreviousData })
  return (
    <Section title={t('limits.usage')}>
      <SelectField
        label={t('limits.period')}
        value={String(days)}
        onChange={(value) => setDays(Number(value))}
        options={PERIODS.map((count) => ({ value: String(count), label: t('limits.days', { count }) }))}
        className="mb-4 max-w-52"
      />
      <QueryView
        query={query}
        failed={t('limits.usage_failed')}
        loading={<SkeletonRows rows={1} className="h-72 rounded-lg" />}
      >
        {(usage) => (
          <Suspense fallback={<Skeleton className="h-72 w-full rounded-lg" />}>
            <div className="space-y-5">
              <UsageChart days={usage.days} count={days} />
              {usage.days.length > 0 && <Tables usage={usage} />}
            </div>
          </Suspense>
        )}
      </QueryView>
    </Section>
  )
}

function Tables({ usage }: { readonly usage: Usage }) {
  const users = useMemo(() => usersTable(usage), [usage])
  const models = useMemo(() => modelsTable(usage), [usage])
  const engines = useMemo(() => enginesTable(usage), [usage])
  return (
    <>
      <AnswerTable table={users} />
      <AnswerTable table={models} />
      {engines.rows.length > 1 && <AnswerTable table={engines} />}
    </>
  )
}

function usersTable({ users }: Usage): Table {
  return tableOf(
    t('limits.by_user'),
    [
      { key: 'username', label: t('limits.user'), type: 'text' },
      { key: 'role', label: t('limits.role'), type: 'text' },
    ],
    users,
  )
}

function modelsTable({ models }: Usage): Table {
  return tableOf(t('limits.by_model'), [{ key: 'model', label: t('limits.model'), type: 'text' }], models)
}

function enginesTable({ engines }: Usage): Table {
  const rows = engines.map((row) => ({ ...row, name: row.name ?? t('limits.engine_gone') }))
  return tableOf(t('limits.by_engine'), [{ key: 'name', label: t('limits.engine'), type: 'text' }], rows)
}

function tableOf(
  title: string,
  first: Table['columns'],
  rows: readonly (Usage['days'][number] | Record<string, string | number>)[],
): Table {
  const columns: Table['columns'] = [
    ...first,
    { key: 'messages', label: t('usage.messages'), type: 'integer' },
    { key: 'input_tokens', label: t('limits.input_tokens'), type: 'integer' },
    { key: 'output_tokens', label: t('limits.output_tokens'), type: 'integer' },
    { key: 'cost', label: t('usage.cost'), type: 'number' },
  ]
  const cells = rows.map((row) => {
    const all: Record<string, string | number> = { ...row, cost: Number(row.cost_micros) / 1e6 }
    return Object.fromEntries(columns.map(({ key }) => [key, all[key] ?? null]))
  })
  return { title, columns, rows: cells, total_rows: cells.length }
}
