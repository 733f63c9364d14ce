import { Ban, CircleCheck, Hand, type LucideIcon } from 'lucide-react'
import { t } from '../text/i18n.ts'
import { Status } from '../parts/feedback/status.tsx'
import type { Tone } from '../parts/feedback/tone.ts'
import type { Effect } from './tool-rules.ts'

/** How an effect looks wherever it is shown: told by its sign as well as its colour. */
export const EFFECT_LOOK: Readonly<Record<Effect, { tone: Tone; icon: LucideIcon }>> = {
  allow: { tone: 'ok', icon: CircleCheck },
  ask: { tone: 'warn', icon: Hand },
  deny: { tone: 'danger', icon: Ban },
}

/** The policy's decision: runs immediately, asks first, denied. */
export function EffectWord({ effect, pill = false }: { readonly effect: Effect; readonly pill?: boolean }) {
  return <Status {...EFFECT_LOOK[effect]} label={t(`modules.effect_${effect}`)} pill={pill} />
}
