import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { about } from '../../contract/about.ts'
import type { Handlers } from '../../contract/route.ts'

export interface AboutContext {
  readonly version: string
  readonly database: 'sqlite' | 'postgresql'
  /** Where the build puts `build.json`; it may be missing. */
  readonly buildFile: URL
}

const Build = z.object({ commit: z.string().nullable(), built_at: z.iso.datetime().nullable() })

/**
 * Describes this installation. Internals are for administrators only: the version of Node is a hint for an attacker.
 */
export function aboutRoutes({ version, database, buildFile }: AboutContext): Handlers<typeof about> {
  const started_at = new Date().toISOString()
  return {
    about: ({ caller }) => ({
      name: 'Reeve',
      version,
      licence: 'Apache-2.0',
      internals: caller.admin
        ? {
            node: process.version,
            platform: `${process.platform} ${process.arch}`,
            database,
            started_at,
            ...readBuild(buildFile),
          }
        : null,
    }),
  }
}

/** Read on each request: a build may finish while the service runs. */
function readBuild(file: URL): z.output<typeof Build> {
  try {
    return Build.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return { commit: null, built_at: null }
  }
}
