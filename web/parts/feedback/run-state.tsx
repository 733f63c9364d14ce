import { LoaderCircle, PauseCircle, ShieldQuestion, type LucideIcon } from 'lucide-react'
import type { RunStatus } from '../../../contract/chat.ts'
import { t } from '../../text/i18n.ts'
import { Status } from './status.tsx'
import type { Tone } from './tone.ts'

export interface RunStateProps {
  status: RunStatus
  iconOnly?: boolean
}

const LOOK: Record<RunStatus, { tone: Tone; icon?: LucideIcon; moving?: true }> = {
  thinking: { tone: 'active', icon: LoaderCircle, moving: true },
  acting: { tone: 'active', icon: LoaderCircle, moving: true },
  waiting_approval: { tone: 'warn', icon: ShieldQuestion },
  done: { tone: 'ok' },
  failed: { tone: 'danger' },
  cancelled: { tone: 'neutral' },
  interrupted: { tone: 'warn', icon: PauseCircle },
}

/** The state of a run, displayed the same way everywhere. */
export function RunState({ status, iconOnly }: RunStateProps) {
  return <Status {...LOOK[status]} label={t(`run_status.${status}`)} iconOnly={iconOnly} />
}
