import type { ProcedureState } from '../../contract/procedure-limits.ts'
import { Status } from '../parts/feedback/status.tsx'
import type { Tone } from '../parts/feedback/tone.ts'
import { t } from '../text/i18n.ts'

const TONE: Record<ProcedureState, Tone> = {
  draft: 'neutral',
  in_review: 'warn',
  reviewed: 'ok',
  rejected: 'danger',
  withdrawn: 'neutral',
}

export function VersionState({ state }: { readonly state: ProcedureState }) {
  return <Status tone={TONE[state]} label={t(`procedures.state_${state}`)} />
}
