import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { startApp } from '../../../server/app/app.ts'
import { readConfig } from '../../../server/app/config.ts'
import { compileCache } from '../compile-cache.ts'

/** One look for what is due: what time it is for this process, and before which statement it is killed. */
export interface Look {
  readonly now: number
  readonly dies_before: number | null
}

/**
 * The whole service as a process of its own that goes by a clock of the test, looks for what is due when it is told to, and
 * kills itself between two statements.
 */
export function startFirer(env: Record<string, string>) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', import.meta.filename], {
    env: { PATH: process.env.PATH, ...compileCache, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const read = async (): Promise<boolean> => (await lines.next()).done !== true
  return {
    ready: read,
    /** False when it was killed. */
    async look(look: Look): Promise<boolean> {
      child.stdin.write(`${JSON.stringify(look)}\n`)
      return read()
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  }
}

if (import.meta.main) {
  let now = 0
  let left = Infinity
  const observe = (): void => {
    if (--left === 0) process.kill(process.pid, 'SIGKILL')
  }
  await using app = await startApp(readConfig({ REEVE_LOG_LEVEL: 'silent', ...process.env }), {
    observe,
    clock: () => now,
  })
  console.info('ready')
  for await (const line of createInterface({ input: process.stdin })) {
    const look = JSON.parse(line) as Look
    now = look.now
    left = look.dies_before ?? Infinity
    await app.unattended.tick(new AbortController().signal)
    left = Infinity
    console.info('looked')
  }
}
