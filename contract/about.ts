import { z } from 'zod'
import { json, route } from './route.ts'
import { Timestamp } from './values.ts'

/** What the service runs on, for administrators only. */
const Internals = z.strictObject({
  node: z.string(),
  /** Operating system and processor: `linux x64`. */
  platform: z.string(),
  database: z.enum(['sqlite', 'postgresql']),
  started_at: Timestamp,
  /** The commit of the sources, and when the pages were built; null when unknown. */
  commit: z.string().nullable(),
  built_at: Timestamp.nullable(),
})

export const about = {
  about: route({
    method: 'GET',
    path: '/api/about',
    summary: 'Version and licence; for administrators also what the service runs on',
    access: 'session',
    response: json(
      z.strictObject({
        name: z.string(),
        version: z.string(),
        licence: z.string(),
        /** Null for everyone except administrators. */
        internals: Internals.nullable(),
      }),
    ),
    errors: [],
  }),
}
