import {
  CircleOff,
  CirclePause,
  CirclePlay,
  Eye,
  LoaderCircle,
  OctagonX,
  RotateCw,
  SlidersHorizontal,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react'
import type { ModuleState as State } from '../../../contract/modules.ts'
import { t } from '../../text/i18n.ts'
import { Status } from '../../parts/feedback/status.tsx'
import type { Tone } from '../../parts/feedback/tone.ts'

const LOOK: Record<State, { tone: Tone; icon: LucideIcon; moving?: true }> = {
  disabled: { tone: 'neutral', icon: CirclePause },
  needs_configuration: { tone: 'warn', icon: SlidersHorizontal },
  starting: { tone: 'active', icon: LoaderCircle, moving: true },
  running: { tone: 'ok', icon: CirclePlay },
  degraded: { tone: 'warn', icon: TriangleAlert },
  retrying: { tone: 'warn', icon: RotateCw, moving: true },
  failed: { tone: 'danger', icon: OctagonX },
  incompatible: { tone: 'danger', icon: CircleOff },
  needs_review: { tone: 'warn', icon: Eye },
}

/** The state of a module, displayed the same way everywhere. */
export function ModuleState({ state, pill }: { readonly state: State; readonly pill?: boolean }) {
  return <Status {...LOOK[state]} label={t(`modules.state_${state}`)} pill={pill} />
}
