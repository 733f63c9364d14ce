import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Sandbox } from '../modules/process/sandbox.ts'

/** The isolation the service found at its last start. */
export interface ToldIsolation {
  readonly at: string
  /** Null: modules are not isolated. */
  readonly level: string | null
  readonly reason: string
}

const fileIn = (dataFolder: string): string => join(dataFolder, 'modules/isolation.json')

/**
 * Determines which isolation is available and records it in a file for `reeve doctor`: a shell on the same machine may
 * do what the service's unit forbids, so only the service can tell what applies to it.
 */
export async function tellIsolation(sandbox: Sandbox, dataFolder: string): Promise<void> {
  await sandbox.ready()
  const best = sandbox.levels[0]
  const told: ToldIsolation = {
    at: new Date().toISOString(),
    level: best?.level ?? null,
    reason: best?.reason.toString() ?? '',
  }
  const file = fileIn(dataFolder)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, `${JSON.stringify(told)}\n`, { mode: 0o600 })
}

/** Null when no readable record exists. */
export async function toldIsolation(dataFolder: string): Promise<ToldIsolation | null> {
  try {
    return JSON.parse(await readFile(fileIn(dataFolder), 'utf8')) as ToldIsolation
  } catch {
    return null
  }
}
