import { Eye, CircleHelp, PencilLine, Trash2, type LucideIcon } from 'lucide-react'
import type { ToolCall } from '../../../contract/chat.ts'
import { t } from '../../text/i18n.ts'
import { Status } from './status.tsx'
import type { Tone } from './tone.ts'

export type ToolEffect = ToolCall['effect']

const LOOK: Record<ToolEffect, { tone: Tone; icon: LucideIcon }> = {
  read: { tone: 'info', icon: Eye },
  write: { tone: 'warn', icon: PencilLine },
  destructive: { tone: 'danger', icon: Trash2 },
  unknown: { tone: 'warn', icon: CircleHelp },
}

/** A tool's effect: reads, changes, may delete, or unknown. */
export function EffectBadge({ effect }: { effect: ToolEffect }) {
  return <Status {...LOOK[effect]} label={t(`effect.${effect}`)} pill />
}
