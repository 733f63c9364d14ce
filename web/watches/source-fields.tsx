import { useQuery } from '@tanstack/react-query'
import { MACHINE_MODULE } from '../../contract/host-values.ts'
import { WATCH_FIGURES } from '../../contract/watch-limits.ts'
import type { ArgumentField } from '../arguments/argument-fields.ts'
import { hostsQuery } from '../hosts/hosts-query.ts'
import { SelectField } from '../parts/controls/select-field.tsx'
import { t } from '../text/i18n.ts'
import { TableFields } from './table-fields.tsx'
import { isInstallation, type SaidFault, type WatchDraft } from './watch-draft.ts'
import { figureName } from './watch-words.ts'
import type { Tried } from './watches-query.ts'

interface SourceFieldsProps {
  readonly draft: WatchDraft
  readonly admin: boolean
  /** Of the table, once somebody has looked. */
  readonly columns: Tried['columns']
  /** For the arguments of its tool: undefined until they are loaded, null where there is no such tool. */
  readonly fields: readonly ArgumentField[] | null | undefined
  readonly checked: boolean
  error(fault: SaidFault): string | null
  onChange(patch: Partial<WatchDraft>): void
}

/** Where a bound usually lies. */
const USUAL: Readonly<Partial<Record<WatchDraft['what'], Partial<WatchDraft>>>> = {
  disk_used: { is: 'above', bound: '90', back: '', for_min: '5' },
  memory_used: { is: 'above', bound: '90', back: '', for_min: '10' },
  load: { is: 'above', bound: '2', back: '', for_min: '10' },
  failed_services: { is: 'above', bound: '0', back: '', for_min: '5' },
  backup_age: { is: 'above', bound: '24', back: '', for_min: '120' },
  certificate_days: { is: 'below', bound: '14', back: '', for_min: '0' },
}

/** What a watch looks at, and on which machines. */
export function SourceFields({ draft, admin, columns, fields, checked, error, onChange }: SourceFieldsProps) {
  const figures = WATCH_FIGURES.filter((figure) => admin || !isInstallation(figure))
  const works = draft.what === 'table' ? draft.tool.startsWith(`${MACHINE_MODULE}.`) : !isInstallation(draft.what)
  return (
    <>
      <SelectField
        label={t('watches.what')}
        value={draft.what}
        onChange={(what) => onChange({ what: what as WatchDraft['what'], ...USUAL[what as WatchDraft['what']] })}
        options={[
          ...figures.map((value) => ({ value, label: figureName(value) })),
          { value: 'table', label: t('watches.table') },
        ]}
      />
      {draft.what === 'table' && (
        <TableFields
          draft={draft}
          columns={columns}
          fields={fields}
          checked={checked}
          error={error}
          onChange={onChange}
        />
      )}
      {works && <MachinesField value={draft.machines} onChange={(machines) => onChange({ machines })} />}
    </>
  )
}

function MachinesField({ value, onChange }: { readonly value: string; onChange(value: string): void }) {
  const hosts = useQuery(hostsQuery).data?.items ?? []
  const tags = [...new Set(hosts.flatMap((host) => host.tags))].toSorted()
  const known = [
    { value: 'local', label: t('watches.this_machine') },
    ...(hosts.length > 1 ? [{ value: 'all', label: t('watches.all_machines') }] : []),
    ...tags.map((tag) => ({ value: `t:${tag}`, label: `#${tag}` })),
    ...hosts.slice(1).map((host) => ({ value: `h:${host.host_id}`, label: host.name })),
  ]
  // What is stored is among them even if it is there no more.
  const options = known.some((one) => one.value === value)
    ? known
    : [...known, { value, label: value === 'all' ? t('watches.all_machines') : value.slice(2) }]
  return <SelectField label={t('watches.machines')} value={value} onChange={onChange} options={options} />
}
