import type { Signature } from '../../../contract/modules.ts'
import { t } from '../../text/i18n.ts'
import { Status } from '../../parts/feedback/status.tsx'
import type { Tone } from '../../parts/feedback/tone.ts'

const TONE: Record<Signature['state'], Tone> = {
  unsigned: 'neutral',
  invalid: 'danger',
  untrusted: 'warn',
  trusted: 'ok',
}

/** Who signed a bundle, and whether the signer is trusted here. */
export function SignatureState({ signature }: { readonly signature: Signature }) {
  const { state, signer, fingerprint, detail } = signature
  return (
    <div className="min-w-0">
      <Status tone={TONE[state]} label={t(`modules.signature_${state}`)} />
      {signer !== null && <p className="break-words">{signer}</p>}
      {fingerprint !== null && <p className="text-muted font-mono text-xs break-all">{fingerprint}</p>}
      {detail !== '' && <p className="text-muted text-sm break-words">{detail}</p>}
    </div>
  )
}
