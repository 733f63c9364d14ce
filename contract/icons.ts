import { z } from 'zod'

/** Addresses of a picture, for each theme; the same where a module brings only one. */
export const IconAddresses = z.strictObject({ light: z.string(), dark: z.string() })
export type IconAddresses = z.infer<typeof IconAddresses>
