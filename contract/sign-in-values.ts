import { z } from 'zod'

const Base64Url = z
  .string()
  .max(20_000)
  .regex(/^[\w-]*$/)
/** What a browser sends (`PublicKeyCredential.toJSON`); everything in it is checked along with the signature. */
export const PasskeyCredential = z.looseObject({
  id: Base64Url.max(2000),
  response: z.looseObject({ clientDataJSON: Base64Url }),
})
/** What a browser receives (`PublicKeyCredential.parse…OptionsFromJSON`). */
export const CredentialOptions = z.looseObject({ challenge: z.string() })
