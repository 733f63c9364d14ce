import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  CircleSlash,
  CircleX,
  LoaderCircle,
  ShieldQuestion,
  type LucideIcon,
} from 'lucide-react'
import type { ToolCallStatus } from '../../../contract/chat.ts'
import { t } from '../../text/i18n.ts'
import { Status } from './status.tsx'
import type { Tone } from './tone.ts'

export interface ToolStatusProps {
  status: ToolCallStatus
  iconOnly?: boolean
  className?: string
}

const LOOK: Record<ToolCallStatus, { tone: Tone; icon: LucideIcon; moving?: true }> = {
  pending: { tone: 'neutral', icon: CircleDashed },
  awaiting_approval: { tone: 'warn', icon: ShieldQuestion },
  running: { tone: 'active', icon: LoaderCircle, moving: true },
  done: { tone: 'ok', icon: CircleCheck },
  denied: { tone: 'neutral', icon: Ban },
  failed: { tone: 'danger', icon: CircleX },
  cancelled: { tone: 'neutral', icon: CircleSlash },
  unknown: { tone: 'warn', icon: CircleHelp },
}

/** The state of a tool call, displayed the same way everywhere. */
export function ToolStatus({ status, iconOnly, className }: ToolStatusProps) {
  return <Status {...LOOK[status]} label={t(`tool_status.${status}`)} iconOnly={iconOnly} className={className} />
}
