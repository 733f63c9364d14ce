import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { Database } from '../../../server/db/database.ts'
import { compileCache } from '../compile-cache.ts'

/**
 * A process that opens the database as the service does, and kills itself when it is about to commit for the second time: one
 * migration is done then, and the next one is not. Resolves with true when it was killed, false when it came to the end.
 */
export async function killSecondCommit(url: string, folder: string): Promise<boolean> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', import.meta.filename, url, folder], {
    env: { PATH: process.env.PATH, ...compileCache },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const problem = text(child.stderr)
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`The migration failed: ${await problem}`)
  return signal === 'SIGKILL'
}

if (import.meta.main) {
  const [url = '', folder = ''] = process.argv.slice(2)
  let commits = 0
  await using _db = await Database.open({
    url: url === '' ? null : url,
    folder,
    onError: () => undefined,
    observe: (sql) => {
      if (sql === 'commit' && ++commits === 2) process.kill(process.pid, 'SIGKILL')
    },
  })
}
