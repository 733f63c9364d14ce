import { Network, Puzzle, Shield, ShieldAlert, ShieldCheck, type LucideIcon } from 'lucide-react'
import type { Isolation } from '../../../contract/modules.ts'
import { t } from '../../text/i18n.ts'
import { Status } from '../../parts/feedback/status.tsx'
import { Tooltip } from '../../parts/feedback/tooltip.tsx'
import type { Tone } from '../../parts/feedback/tone.ts'

const LOOK: Record<Isolation['level'], { tone: Tone; icon: LucideIcon }> = {
  isolated: { tone: 'ok', icon: ShieldCheck },
  restricted: { tone: 'ok', icon: ShieldCheck },
  guarded: { tone: 'info', icon: Shield },
  process: { tone: 'warn', icon: ShieldAlert },
  builtin: { tone: 'neutral', icon: Puzzle },
  remote: { tone: 'neutral', icon: Network },
}

/** How well a module is isolated. The reason is shown next to it on the module's page, and here on hover and focus. */
export function IsolationBadge({ isolation: { level, reason } }: { readonly isolation: Isolation }) {
  const badge = <Status {...LOOK[level]} label={t(`modules.isolation_${level}`)} />
  if (reason === '') return badge
  return (
    <Tooltip text={reason}>
      <button type="button" className="relative z-1 inline-flex cursor-help rounded-sm">
        {badge}
        <span className="sr-only">: {reason}</span>
      </button>
    </Tooltip>
  )
}

/** The level and its reason, both visible. */
export function IsolationText({ isolation: { level, reason } }: { readonly isolation: Isolation }) {
  return (
    <span className="block">
      <Status {...LOOK[level]} label={t(`modules.isolation_${level}`)} />
      {reason !== '' && <span className="text-muted block text-sm break-words">{reason}</span>}
    </span>
  )
}
