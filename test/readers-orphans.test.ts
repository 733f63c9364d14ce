import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openMachine } from '../server/sandbox/machine.ts'
import { killReader, startReader } from '../server/sandbox/start-reader.ts'
import { isolationWorks, marked } from './stage/modules/sandbox-stage.ts'
import { until } from './stage/wait.ts'

test.skipIf(!isolationWorks)('a reader ends, whenever it is killed and whatever becomes of its folders', async () => {
  const machine = openMachine({ node: process.execPath })
  const mark = `orphans-${process.pid}`
  // From before bubblewrap has begun to after the program runs: somewhere in between it does not yet end with its parent.
  for (let after = 0; after <= 90; after += 3) {
    const programs = mkdtempSync(join(tmpdir(), 'reeve-orphans-'))
    mkdirSync(join(programs, 'kept'))
    const child = startReader(
      machine.now(),
      {
        script: new URL('../server/tables/jobs/table-worker.ts', import.meta.url),
        args: ['1536', mark],
        options: ['--disable-warning=ExperimentalWarning'],
        programs,
        serialization: 'advanced',
      },
      { read: [], write: [programs] },
    )
    await sleep(after)
    const over = new Promise((resolve) => child.once('exit', resolve))
    killReader(child)
    rmSync(programs, { recursive: true, force: true })
    await over
  }
  await until(() => marked(mark).length === 0, { what: 'every reader has ended' })
  expect(marked(mark)).toEqual([])
})
