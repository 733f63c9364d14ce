/**
 * A service with nothing but a sandbox and one module, as a process of its own, for tests that kill it. Arguments: folder, level,
 * and a mark for the command lines of what the module starts. Prints one line of JSON when everything runs, and waits.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openSandbox } from '../../../server/modules/process/sandbox.ts'

const [folder = '', level = '', mark = ''] = process.argv.slice(2)
const log = { info: () => undefined, warn: () => undefined }
const bundleFolder = join(folder, 'bundle')
const dataFolder = join(folder, 'data', 'one')
mkdirSync(dataFolder, { recursive: true })

const sandbox = await openSandbox({
  log,
  node: process.execPath,
  pids: join(folder, 'pids'),
  ...(level === 'isolated' ? {} : { bwrap: '/missing/bwrap' }),
})
const link = await sandbox.start(
  {
    command: level === 'process' ? './program' : 'node',
    args: [join(bundleFolder, 'agent.mjs'), mark],
    env: {},
    bundleFolder,
    dataFolder,
  },
  { network: 'none', folders: [], commands: ['sleep'] },
  { memory_bytes: 1024 * 1024 * 1024 },
  new AbortController().signal,
)
let answers = 0
link.transport.onmessage = () => {
  answers += 1
  if (answers === 3) process.stdout.write(`${JSON.stringify({ pid: process.pid })}\n`)
}
await link.transport.start()
const script = `sleep 60 # ${mark}\nexit`
const starts = [
  { command: 'sh', args: ['-c', script] },
  { command: 'sh', args: ['-c', script], apart: true },
  { command: 'sh', args: ['-c', `setsid sh -c '${script}' & exit`], apart: true },
]
for (const [id, params] of starts.entries())
  await link.transport.send({ jsonrpc: '2.0', id, method: 'start', params: { ...params } })
// Stays until it is killed.
setInterval(() => undefined, 60_000)
