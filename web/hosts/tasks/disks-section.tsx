import { getRouteApi } from '@tanstack/react-router'
import { ChevronRight, Folder } from 'lucide-react'
import { Fragment } from 'react'
import { classNames } from '../../parts/class-names.ts'
import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import type { HostSectionProps } from './host-section.ts'
import { LookTable } from './look-table.tsx'
import { LookView } from './look-view.tsx'
import type { LookRow } from './look-query.ts'

const route = getRouteApi('/app/admin/$page')

/** File systems and how full they are; from each one down into what uses it. The folder is in the address. */
export function DisksSection({ host }: HostSectionProps) {
  const { path } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (folder: string | null): void =>
    void navigate({ search: { host: host.host_id, tab: 'disks', ...(folder !== null && { path: folder }) } })
  if (path === undefined || !path.startsWith('/'))
    return (
      <LookView host={host} tool="disks">
        {({ tables: [table] }) =>
          table && (
            <LookTable
              table={table}
              columns={['path', 'usage', 'available', 'size', 'type', 'source']}
              cells={{ path: (row) => <FolderLink path={String(row['path'])} onShow={show} />, usage: UseBar }}
              empty={t('hosts.disks_none')}
            />
          )
        }
      </LookView>
    )
  return (
    <div className="space-y-3">
      <Breadcrumb path={path} onShow={show} />
      <LookView host={host} tool="disk_usage" args={{ path, limit: 1000 }}>
        {({ tables: [table] }) =>
          table && (
            <LookTable
              key={path}
              table={table}
              columns={['path', 'size', 'share']}
              cells={{ path: (row) => <FolderLink path={String(row['path'])} onShow={show} />, share: UseBar }}
              empty={t('hosts.disks_no_folders')}
            />
          )
        }
      </LookView>
    </div>
  )
}

interface FolderProps {
  readonly path: string
  /** Null: the file systems. */
  onShow(path: string | null): void
}

function FolderLink({ path, onShow }: FolderProps) {
  return (
    <button
      type="button"
      onClick={() => onShow(path)}
      className="text-accent inline-flex items-center gap-1.5 text-start underline-offset-2 hover:underline"
    >
      <Folder aria-hidden className="size-4 shrink-0" />
      {path}
    </button>
  )
}

function Breadcrumb({ path, onShow }: FolderProps) {
  const names = path.split('/').filter(Boolean)
  const steps = [
    { label: t('hosts.disks_all'), to: null },
    { label: '/', to: '/' },
    ...names.map((label, at) => ({ label, to: `/${names.slice(0, at + 1).join('/')}` })),
  ]
  return (
    <nav aria-label={t('hosts.disks_path')} className="flex flex-wrap items-center gap-1">
      {steps.map(({ label, to }, at) => (
        <Fragment key={to ?? ''}>
          {at > 0 && <ChevronRight aria-hidden className="text-muted size-3.5" />}
          {at === steps.length - 1 ? (
            <span aria-current="page" className="px-1 font-medium break-all">
              {label}
            </span>
          ) : (
            <button
              type="button"
              onClick={() => onShow(to)}
              className="text-accent min-h-7 rounded-md px-1 break-all hover:underline"
            >
              {label}
            </button>
          )}
        </Fragment>
      ))}
    </nav>
  )
}

/** A share as a bar beside its figure; over 90 % it is a warning where it says how full something is. */
function UseBar({ usage, share }: LookRow) {
  const percent = Number(usage ?? share)
  if ((usage ?? share) === null || Number.isNaN(percent)) return '–'
  const full = usage !== undefined && percent >= 90
  return (
    <span className="inline-flex items-center gap-2">
      <span aria-hidden className="bg-sunken h-1.5 w-20 overflow-hidden rounded-full">
        <span
          className={classNames('block h-full rounded-full', full ? 'bg-danger' : 'bg-accent')}
          style={{ width: `${Math.min(100, percent)}%` }}
        />
      </span>
      <span className={classNames('tabular', full && 'text-danger font-medium')}>
        {formatNumber(percent / 100, { style: 'percent', maximumFractionDigits: 1 })}
      </span>
    </span>
  )
}
