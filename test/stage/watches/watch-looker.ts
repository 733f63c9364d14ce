import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { openAudit } from '../../../server/accounts/audit/audit.ts'
import { Database } from '../../../server/db/database.ts'
import { lookAtDue } from '../../../server/watches/look.ts'
import type { WatchesContext } from '../../../server/watches/watches-context.ts'
import { compileCache } from '../compile-cache.ts'

const CLOCK = pathToFileURL(join(import.meta.dirname, '../../cluster/shifted-clock.mjs')).href

/** What a look is told: the database's time, the value it sees, and the statement before which the process is killed. */
export interface LookOrder {
  readonly time: number
  readonly value: number
  readonly die: number | null
}

/** A process of its own that looks at what is due. `clock`: milliseconds by which its own clock is ahead. */
export async function startLooker(url: string, folder: string, clock: number) {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--import', CLOCK, import.meta.filename, url, folder],
    {
      env: { PATH: process.env.PATH, CLOCK_AHEAD: String(clock), ...compileCache },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await lines.next()
  return {
    /** False: it was killed. */
    async look(order: LookOrder): Promise<boolean> {
      child.stdin.write(`${JSON.stringify(order)}\n`)
      return (await lines.next()).done !== true
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.stdin.end()
      await once(child, 'close')
    },
  }
}

if (import.meta.main) {
  const [url = '', folder = ''] = process.argv.slice(2)
  let order: LookOrder = { time: 0, value: 0, die: null }
  let statements = 0
  await using opened = new AsyncDisposableStack()
  const db = opened.use(
    await Database.open({
      url: url === '' ? null : url,
      folder,
      asItIs: true,
      onError: (error) => console.error(error),
      observe() {
        if (++statements === order.die) process.kill(process.pid, 'SIGKILL')
      },
    }),
  )
  const never = (): never => {
    throw new Error('A watch that all administrators share asks for no person.')
  }
  const context: WatchesContext = {
    db,
    log: { warn: (...about: unknown[]) => console.error(...about) },
    audit: openAudit(db, Date.now),
    policy: { forUser: never },
    tools: { find: never, call: never, ready: never },
    secrets: { mask: (_module, value) => value },
    hosts: {
      read: () =>
        Promise.resolve([{ host_id: 'local', name: 'local', tags: [], local: true, disabled: false, bound: '' }]),
    },
    figures: {
      installation: never,
      machines: () => Promise.resolve(new Map([['local', order.value]])),
    },
    // One row for each key; a second message would show in its value.
    async tellNotice(trx, { key, event }) {
      await trx
        .insertInto('setting')
        .values({ key: `told ${key}`, value: event, updated_at: Date.now() })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: 'twice' }))
        .execute()
    },
    tellChange: () => Promise.resolve(),
    routines: { of: () => Promise.resolve([]), start: () => Promise.resolve('refused') },
    time: () => Promise.resolve(order.time),
  }
  console.info('ready')
  for await (const line of createInterface({ input: process.stdin })) {
    order = JSON.parse(line) as LookOrder
    statements = 0
    await lookAtDue(context, new AbortController().signal)
    console.info('looked')
  }
}
