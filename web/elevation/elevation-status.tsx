import type { Elevation } from '../../contract/elevations.ts'
import { Status } from '../parts/feedback/status.tsx'
import type { Tone } from '../parts/feedback/tone.ts'
import { t } from '../text/i18n.ts'

const TONE: Record<Elevation['status'], Tone> = {
  requested: 'warn',
  active: 'ok',
  denied: 'danger',
  expired: 'neutral',
  ended: 'neutral',
}

/** What has become of a request; one that was given up before it began was withdrawn. */
export function ElevationStatus({ elevation: { status, started_at: started } }: { readonly elevation: Elevation }) {
  const label = status === 'ended' && started === null ? t('elevation.withdrawn') : t(`elevation.status_${status}`)
  return <Status tone={TONE[status]} label={label} />
}
