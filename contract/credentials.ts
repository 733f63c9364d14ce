import { z } from 'zod'

/** What people sign in with. Lengths are in characters. */
export const PASSWORD_MIN = 10
export const PASSWORD_MAX = 200

/** Letters, digits and `._@-`; compared ignoring case. */
export const Username = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[\p{L}\p{N}._@-]+$/u)
export const Password = z.string().min(1).max(PASSWORD_MAX)
export const DisplayName = z.string().trim().max(100)
