import { Link } from '@tanstack/react-router'
import type { ModuleEntry } from '../../../contract/modules.ts'
import { t } from '../../text/i18n.ts'
import { Badge } from '../../parts/feedback/badge.tsx'
import { RelativeTime } from '../../parts/feedback/relative-time.tsx'
import { UpdateButton } from '../add/update-check.tsx'
import { IsolationBadge } from '../overview/isolation-badge.tsx'
import { ModuleIcon } from './module-icon.tsx'
import { ModuleState } from './module-state.tsx'

/** One module in the list: name, state and reason. The whole row links to its page. */
export function ModuleRow({ module }: { readonly module: ModuleEntry }) {
  const { changed_tools: changed } = module
  return (
    <li className="hover:bg-hover focus-within:bg-hover relative flex items-start gap-3 px-4 py-3">
      <ModuleIcon icon={module.icon} />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-0.5">
          <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
            <Link
              to="/modules/$name"
              params={{ name: module.name }}
              className="font-medium break-words after:absolute after:inset-0"
            >
              {module.display_name}
            </Link>
            <span className="text-muted font-mono text-xs break-all">{module.version}</span>
            <Badge>{t(`modules.kind_${module.kind}`)}</Badge>
          </span>
          <ModuleState state={module.state} />
        </div>
        {module.description !== '' && (
          <p className="text-muted line-clamp-2 break-words sm:line-clamp-1">{module.description}</p>
        )}
        {module.problem !== null && <p className="mt-0.5 line-clamp-3 text-sm break-words">{module.problem}</p>}
        <p className="text-muted mt-1 flex flex-wrap items-center gap-x-4 gap-y-0.5 text-sm">
          <span>{t('modules.tools_count', { count: module.tools_count })}</span>
          <IsolationBadge isolation={module.isolation} />
          {module.source && (
            <span className="font-mono text-xs break-all">
              {module.source.kind}: {module.source.name}
            </span>
          )}
          {module.changed_at != null && (
            <span>
              {module.previous_version == null
                ? t('modules.installed_at')
                : t('modules.changed_from', { version: module.previous_version })}
              {' · '}
              <RelativeTime at={module.changed_at} />
            </span>
          )}
          {changed > 0 && <Badge tone="warn">{t('modules.changed_tools', { count: changed })}</Badge>}
          <UpdateButton name={module.name} />
        </p>
      </div>
    </li>
  )
}
