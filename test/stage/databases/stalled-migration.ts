import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { migrate } from '../../../server/db/migrate.ts'
import { MIGRATIONS } from '../../../server/db/migrations/index.ts'
import { openBareDatabase } from './bare-database.ts'
import { compileCache } from '../compile-cache.ts'

/** A process in the middle of its first migration, every table made and nothing committed; it stays there until it is killed. */
export async function startStalledMigration(url: string, folder: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', import.meta.filename, url, folder], {
    env: { PATH: process.env.PATH, ...compileCache },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const problem = text(child.stderr)
  const ended = once(child, 'exit').then(async () => {
    throw new Error(`The migration ended: ${await problem}`)
  })
  // Once it is in the middle, that it ends is what the test wants.
  await Promise.race([once(child.stdout, 'data'), ended.finally(() => undefined)])
  ended.catch(() => undefined)
  return child
}

if (import.meta.main) {
  const [url = '', folder = ''] = process.argv.slice(2)
  const { db, dialect } = await openBareDatabase(url, folder)
  const [first, ...others] = MIGRATIONS
  const stalled = {
    ...first!,
    up: async (...given: Parameters<(typeof MIGRATIONS)[number]['up']>) => {
      await first!.up(...given)
      process.stdout.write('in the middle\n')
      await new Promise((resolve) => setTimeout(resolve, 600_000))
    },
  }
  await migrate(db, dialect, [stalled, ...others])
}
