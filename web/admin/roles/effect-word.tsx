import { Ban, CircleCheck, Hand, type LucideIcon } from 'lucide-react'
import { t } from '../../i18n.ts'
import type { Effect } from '../../modules/tool-rules.ts'
import { Status } from '../../parts/status.tsx'
import type { Tone } from '../../parts/tone.ts'

const LOOK: Record<Effect, { tone: Tone; icon: LucideIcon }> = {
  allow: { tone: 'ok', icon: CircleCheck },
  ask: { tone: 'warn', icon: Hand },
  deny: { tone: 'danger', icon: Ban },
}

/** What the policy says: runs at once, asks first, denied. */
export function EffectWord({ effect, pill = false }: { readonly effect: Effect; readonly pill?: boolean }) {
  return <Status {...LOOK[effect]} label={t(`modules.effect_${effect}`)} pill={pill} />
}
