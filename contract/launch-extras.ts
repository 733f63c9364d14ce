import { z } from 'zod'

/** Programs end a text where it is, and read what follows as something else. */
const NO_NUL = /^[^\0]*$/

/** What an administrator adds to the launch of a bundle (nothing, for other modules): arguments, and environment variables by name. */
export const LaunchExtras = z.strictObject({
  args: z.array(z.string().max(4000).regex(NO_NUL)).max(100),
  env: z.array(z.string().max(200)).max(100),
})
export type LaunchExtras = z.infer<typeof LaunchExtras>

/** The same with values, which are sealed; a variable without a value keeps the one that it has. */
export const WantedExtras = LaunchExtras.extend({
  env: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/),
        value: z.string().max(8000).regex(NO_NUL).optional(),
      }),
    )
    .max(100),
})
export type WantedExtras = z.infer<typeof WantedExtras>
