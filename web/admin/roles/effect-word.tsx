import { Ban, CircleCheck, Hand, type LucideIcon } from 'lucide-react'
import { t } from '../../text/i18n.ts'
import type { Effect } from '../../modules/tools/tool-rules.ts'
import { Status } from '../../parts/feedback/status.tsx'
import type { Tone } from '../../parts/feedback/tone.ts'

const LOOK: Record<Effect, { tone: Tone; icon: LucideIcon }> = {
  allow: { tone: 'ok', icon: CircleCheck },
  ask: { tone: 'warn', icon: Hand },
  deny: { tone: 'danger', icon: Ban },
}

/** The policy's decision: runs immediately, asks first, denied. */
export function EffectWord({ effect, pill = false }: { readonly effect: Effect; readonly pill?: boolean }) {
  return <Status {...LOOK[effect]} label={t(`modules.effect_${effect}`)} pill={pill} />
}
