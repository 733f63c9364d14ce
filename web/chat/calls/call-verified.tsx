import type { Verification } from '../../../contract/chat.ts'
import { Status } from '../../parts/feedback/status.tsx'
import type { Tone } from '../../parts/feedback/tone.ts'
import { t } from '../../text/i18n.ts'

const TONE: Record<Verification['outcome'], Tone> = { verified: 'ok', did_not_take: 'danger', not_checked: 'warn' }

/** Whether a call took, as looked up afterwards; what was expected and found where it did not. */
export function CallVerified({ verified: { outcome, expected, found } }: { readonly verified: Verification }) {
  return (
    <div className="ps-8 pe-3 pb-2">
      <Status tone={TONE[outcome]} label={t(`call.${outcome}`)} />
      {outcome !== 'verified' && found !== '' && (
        <p className="text-muted text-sm break-words">
          {outcome === 'did_not_take' ? t('call.expected_found', { expected, found }) : found}
        </p>
      )}
    </div>
  )
}
