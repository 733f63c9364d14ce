import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { openAudit } from '../../../server/accounts/audit/audit.ts'
import { Database } from '../../../server/db/database.ts'
import { compileCache } from '../compile-cache.ts'

/** Where a process strikes itself: before the first statement that matches. */
export interface Strike {
  readonly at: RegExp
  readonly signal: 'SIGKILL' | 'SIGSTOP'
}

/** A process of its own that records entries `<name> <n>`, and chains after each. `url` empty: the embedded database. */
export async function startWriter(url: string, folder: string, name: string, strike?: Strike) {
  const words = [url, folder, name, strike?.at.source ?? '', strike?.signal ?? '']
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', import.meta.filename, ...words], {
    env: { PATH: process.env.PATH, ...compileCache },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const read = async (): Promise<string> => {
    const { done, value } = await lines.next()
    if (done === true) throw new Error('The process that records ended.')
    return value
  }
  await read()
  return {
    /** Records so many entries, some at once; resolves with `done`, or `struck`. */
    async write(count: number): Promise<string> {
      child.stdin.write(`${count}\n`)
      return read()
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

if (import.meta.main) {
  const [url = '', folder = '', name = '', at = '', signal = ''] = process.argv.slice(2)
  const strikes = (sql: string) => at !== '' && new RegExp(at).test(sql)
  const db = await Database.open({
    url: url || null,
    folder,
    asItIs: true,
    onError: (error) => {
      throw error
    },
    observe(sql) {
      if (!strikes(sql)) return
      writeSync(1, 'struck\n')
      process.kill(process.pid, signal)
    },
  })
  const audit = openAudit(db, Date.now)
  console.info('ready')
  for await (const line of createInterface({ input: process.stdin })) {
    let next = 0
    const record = async () => {
      for (let n = next++; n < Number(line); n = next++) {
        await db.transaction((trx) =>
          audit.record(trx, { actor: null, action: 'test.done', target: `${name} ${n}`, outcome: 'ok' }),
        )
        await audit.chain()
      }
    }
    await Promise.all(Array.from({ length: 6 }, record))
    console.info('done')
  }
}
