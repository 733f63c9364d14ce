import { z } from 'zod'

/** The arguments shared by the tools. */
export const databaseField = z
  .string()
  .min(1)
  .max(40)
  .optional()
  .describe('Name of the database; needed when there are several')
export const sqlField = z.string().min(1).max(100_000)
export const parametersField = z
  .array(z.union([z.string().max(1_000_000), z.number(), z.boolean(), z.null()]))
  .max(200)
  .default([])
