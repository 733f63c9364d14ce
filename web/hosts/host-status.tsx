import { CircleDashed, CircleOff, Clock, KeyRound, type LucideIcon, ShieldAlert, Unplug, UserX } from 'lucide-react'
import { Status } from '../parts/feedback/status.tsx'
import type { Tone } from '../parts/feedback/tone.ts'
import { t } from '../text/i18n.ts'
import { conditionOf, type HostCondition } from './find-hosts.ts'
import type { Host } from './hosts-query.ts'

const LOOK: Readonly<Record<HostCondition, { tone: Tone; icon?: LucideIcon }>> = {
  ok: { tone: 'ok' },
  unreachable: { tone: 'danger', icon: Unplug },
  key_changed: { tone: 'danger', icon: ShieldAlert },
  sign_in_refused: { tone: 'warn', icon: UserX },
  key_unknown: { tone: 'info', icon: KeyRound },
  unchecked: { tone: 'neutral', icon: CircleDashed },
  disabled: { tone: 'neutral', icon: CircleOff },
}

/** How a machine is, in one or two words. `checking`: somebody is looking right now. */
export function HostStatus({ host, checking = false }: { readonly host: Host; readonly checking?: boolean }) {
  if (checking) return <Status tone="active" icon={Clock} label={t('hosts.checking')} moving />
  const condition = conditionOf(host)
  return <Status {...LOOK[condition]} label={t(`hosts.state_${condition}`)} />
}
