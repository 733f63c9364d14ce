import type { ModuleReview, ModuleTool } from '../../../contract/modules.ts'
import { t } from '../../text/i18n.ts'
import { Badge } from '../../parts/feedback/badge.tsx'
import { EffectBadge } from '../../parts/feedback/effect-badge.tsx'
import type { Tone } from '../../parts/feedback/tone.ts'

const TONE: Record<ModuleReview['tool_changes'][number]['change'], Tone> = {
  added: 'info',
  removed: 'neutral',
  changed: 'warn',
}

interface ReviewToolsProps {
  readonly review: Pick<ModuleReview, 'tools' | 'tool_changes'>
  /** The tools as known from running, for their effects. */
  readonly known: readonly ModuleTool[]
}

/** The tools that a bundle declares, and how they differ from the previous version. */
export function ReviewTools({ review, known }: ReviewToolsProps) {
  const changes = new Map(review.tool_changes.map(({ name, change }) => [name, change]))
  const gone = review.tool_changes.filter(({ change }) => change === 'removed')
  if (review.tools.length === 0 && gone.length === 0) return <p className="text-muted">{t('modules.tools_unknown')}</p>
  return (
    <>
      <p className="text-muted mb-2 text-sm">{t('modules.tools_claimed')}</p>
      <ul className="border-line divide-line divide-y rounded-md border">
        {[...review.tools, ...gone.map(({ name }) => ({ name, description: '' }))].map(({ name, description }) => {
          const change = changes.get(name)
          const effect = known.find((tool) => tool.name === name)?.effect
          return (
            <li key={name} className="px-3 py-2">
              <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <span className="min-w-0 font-mono text-sm font-medium break-all">{name}</span>
                {change !== undefined && <Badge tone={TONE[change]}>{t(`modules.change_${change}`)}</Badge>}
                {effect !== undefined && <EffectBadge effect={effect} />}
              </div>
              {description !== '' && (
                <p className="text-muted text-sm break-words whitespace-pre-line">{description}</p>
              )}
            </li>
          )
        })}
      </ul>
    </>
  )
}
