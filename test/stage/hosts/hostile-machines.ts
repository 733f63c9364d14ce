import { fork } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { HostTarget } from '../../../server/hosts/ssh/target.ts'
import { AFTER, BEFORE } from './hostile-deeds.ts'
import { startOddServer, startRawServer } from './odd-server.ts'

interface Targets {
  /** By what the machine does to whoever connects, and to whoever has signed in. */
  readonly before: Readonly<Record<keyof typeof BEFORE, HostTarget>>
  readonly after: Readonly<Record<keyof typeof AFTER, HostTarget>>
}

/** A hostile machine for each deed, all in a process of their own, whose memory is none of Reeve's. */
export async function startHostileMachines(): Promise<Targets & Disposable> {
  const child = fork(fileURLToPath(import.meta.url), { execArgv: ['--disable-warning=ExperimentalWarning'] })
  const targets = await new Promise<Targets>((done, fail) => {
    child.once('message', (told) => done(told as Targets))
    child.once('exit', (code) => fail(new Error(`The hostile machines ended with ${code}.`)))
  })
  return { ...targets, [Symbol.dispose]: () => void child.kill('SIGKILL') }
}

async function be(): Promise<void> {
  const [before, after] = await Promise.all([
    Promise.all(Object.entries(BEFORE).map(async ([deed, does]) => [deed, (await startRawServer(does)).target()])),
    Promise.all(
      Object.entries(AFTER).map(async ([deed, onExec]) => [deed, (await startOddServer({ onExec })).target()]),
    ),
  ])
  process.once('disconnect', () => process.exit())
  process.send?.({ before: Object.fromEntries(before), after: Object.fromEntries(after) })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await be()
