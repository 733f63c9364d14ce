import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import { ApiError } from '../client/api-error.ts'
import { t } from '../text/i18n.ts'

/** Converts the browser's credential to the form the server expects. */
interface Credential {
  id: string
  response: { clientDataJSON: string; [more: string]: unknown }
  [more: string]: unknown
}

/** Has the browser create a passkey; null when the user closed its window or waited too long. */
export function makePasskey(options: object): Promise<Credential | null> {
  return unlessCancelled(async () => {
    const { startRegistration } = await import('@simplewebauthn/browser')
    const made = await startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON })
    return { ...made, response: { ...made.response } }
  })
}

/** Has the browser present a passkey; null when the user closed its window or waited too long. */
export function showPasskey(options: object): Promise<Credential | null> {
  return unlessCancelled(async () => {
    const { startAuthentication } = await import('@simplewebauthn/browser')
    const shown = await startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON })
    return { ...shown, response: { ...shown.response } }
  })
}

async function unlessCancelled(ceremony: () => Promise<Credential>): Promise<Credential | null> {
  try {
    return await ceremony()
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    if (name === 'NotAllowedError' || name === 'AbortError') return null
    if (name === 'InvalidStateError') throw inWords('passkey_exists', t('account.passkey_known'))
    throw inWords('unexpected', t('account.passkey_browser', { reason: error instanceof Error ? error.message : '' }))
  }
}

function inWords(code: ApiError['code'], detail: string): ApiError {
  return new ApiError({ status: 409, code, detail })
}
