import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { type AskingCall, useGrant } from '../../../server/chat/grants/use-grants.ts'
import type { RunTable } from '../../../server/db/rows/chat-tables.ts'
import type { Tool } from '../../../server/chat/ports/tools.ts'
import { compileCache } from '../compile-cache.ts'
import { openBareDatabase } from './bare-database.ts'

/** The call that a process stores at a signal, in a transaction as a run does. */
export interface TakenCall {
  readonly tool_call_id: string
  readonly run: Pick<RunTable, 'started_by' | 'conversation_id' | 'user_id'>
  readonly tool: Pick<Tool, 'module' | 'name' | 'effect'>
  readonly bound: AskingCall['bound']
}

/** A process of its own that uses grants of a database. `url` empty: the embedded one in `folder`. */
export function startTaker(url: string, folder: string) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', import.meta.filename, url, folder], {
    env: { PATH: process.env.PATH, ...compileCache },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const read = async () => {
    const { done, value } = await lines.next()
    if (done === true) throw new Error('The process that uses grants ended.')
    return value
  }
  return {
    ready: read,
    /** Whether the call is covered. */
    async take(call: TakenCall): Promise<boolean> {
      child.stdin.write(`${JSON.stringify(call)}\n`)
      return (JSON.parse(await read()) as { granted: boolean }).granted
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      if (child.exitCode === null) await once(child, 'close')
    },
  }
}

if (import.meta.main) {
  const [url = '', folder = ''] = process.argv.slice(2)
  await using opened = await openBareDatabase(url, folder)
  console.info('ready')
  for await (const line of createInterface({ input: process.stdin })) {
    const { tool_call_id, run, tool, bound } = JSON.parse(line) as TakenCall
    const { granted } = await opened.db.transaction().execute((trx) =>
      useGrant(trx, { covers: () => false }, run, {
        tool_call_id,
        tool: tool as Tool,
        input: {},
        bound,
        verdict: {},
        untrusted: false,
      }),
    )
    console.info(JSON.stringify({ granted }))
  }
}
