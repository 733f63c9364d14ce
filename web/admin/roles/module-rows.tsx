import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import type { ModuleEntry } from '../../../contract/modules.ts'
import { classNames } from '../../parts/class-names.ts'
import { t } from '../../text/i18n.ts'
import { moduleQuery } from '../../modules/list/module-queries.ts'
import { effectOf, ruleSubject } from '../../modules/tools/tool-rules.ts'
import { EffectBadge } from '../../parts/feedback/effect-badge.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Skeleton } from '../../parts/feedback/skeleton.tsx'
import type { DrawCells } from './draw-cells.ts'
import { RowHead } from './row-head.tsx'

interface ModuleRowsProps {
  readonly module: ModuleEntry
  fits(text: string): boolean
  /** A search is active: matches are shown whether or not the module is expanded. */
  readonly filtering: boolean
  readonly cells: DrawCells
}

/** A module: the rule for all its tools and, when expanded, one for each tool. */
export function ModuleRows({ module, fits, filtering, cells }: ModuleRowsProps) {
  const [opened, setOpened] = useState(false)
  const open = opened || filtering
  const query = useQuery({ ...moduleQuery(module.name), enabled: open })
  const title = module.display_name
  const named = fits(`${title} ${module.name}`)
  const tools = (query.data?.tools ?? []).filter(
    (tool) => named || fits(`${title} ${module.name} ${tool.title} ${tool.name}`),
  )
  if (filtering && !named && query.data !== undefined && tools.length === 0) return null
  const id = `tools-of-${module.name}`
  return (
    <tbody id={id}>
      <tr>
        <th
          scope="row"
          className="bg-surface border-line sticky left-0 z-1 max-w-80 md:min-w-32 border-b align-top font-normal sm:min-w-56"
        >
          <button
            type="button"
            aria-expanded={open}
            disabled={filtering}
            onClick={() => setOpened(!opened)}
            className="hover:bg-hover flex w-full items-start gap-1.5 py-2 ps-2 pe-2 text-left focus-visible:-outline-offset-2 sm:ps-3"
          >
            <ChevronRight
              aria-hidden
              className={classNames('text-muted mt-0.5 size-4 shrink-0 transition-transform', open && 'rotate-90')}
            />
            <span className="min-w-0">
              <span className="block font-semibold break-words">{title}</span>
              <span className="text-muted block text-sm">
                {t('modules.tools_count', { count: query.data?.tools.length ?? module.tools_count })}
              </span>
            </span>
          </button>
        </th>
        {cells(ruleSubject(module.name, null), t('roles.all_tools_of', { module: title }))}
      </tr>
      {open && query.data === undefined && (
        <tr>
          <td className="border-line border-b px-4 py-3">
            {query.isError ? (
              <ErrorNotice title={t('modules.one_failed')} error={query.error} onRetry={() => void query.refetch()} />
            ) : (
              <Skeleton className="h-10" />
            )}
          </td>
        </tr>
      )}
      {open &&
        tools.map((tool) => (
          <tr key={tool.name}>
            <RowHead title={tool.title} code={`${module.name}.${tool.name}`}>
              <EffectBadge effect={tool.effect} />
            </RowHead>
            {cells(ruleSubject(module.name, tool.name), tool.title, (role) => effectOf(role, module, tool))}
          </tr>
        ))}
    </tbody>
  )
}
