import type { Storage } from '../../contract/dashboard.ts'
import { classNames } from '../parts/class-names.ts'
import { formatBytes } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { Panel } from '../parts/layout/panel.tsx'
import { Section } from '../parts/layout/section.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'

const PARTS = ['database', 'files', 'modules', 'caches', 'backups'] as const
const LITTLE = 0.1

/** Storage used by category, and free disk space. */
export function StorageSize({ storage }: { readonly storage: Storage | null }) {
  return (
    <Section title={t('dashboard.storage')}>
      {storage === null ? (
        <SkeletonRows rows={1} className="h-44 rounded-lg" />
      ) : (
        <Panel>
          <dl className="divide-line divide-y">
            {PARTS.map((part) => (
              <div key={part} className="flex justify-between gap-4 px-4 py-2">
                <dt className="text-muted">{t(`dashboard.storage_${part}`)}</dt>
                <dd className="tabular">{formatBytes(storage[part])}</dd>
              </div>
            ))}
          </dl>
          <Disk free={storage.disk_free} total={storage.disk_total} />
        </Panel>
      )}
    </Section>
  )
}

function Disk({ free, total }: { free: number; total: number }) {
  if (total === 0) return null
  const used = 1 - free / total
  const label = t('dashboard.disk')
  return (
    <div className="border-line border-t px-4 py-3">
      <div className="flex flex-wrap justify-between gap-x-3 text-sm">
        <span className="text-muted">{label}</span>
        <span className="tabular">
          {t('dashboard.disk_free', { free: formatBytes(free), total: formatBytes(total) })}
        </span>
      </div>
      <div
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(used * 100)}
        className="bg-hover mt-1.5 h-1.5 overflow-hidden rounded-full"
      >
        <div
          className={classNames('h-full rounded-full', 1 - used < LITTLE ? 'bg-danger' : 'bg-accent')}
          style={{ width: `${used * 100}%` }}
        />
      </div>
    </div>
  )
}
