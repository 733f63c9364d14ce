import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { mebibytes, median, report, residentBytes } from '../stage/measure.ts'
import { hand } from './figure.ts'

/** Listening after a warm start, memory at rest, outbound connections at rest, and what the browser loads first. */
const ROOT = join(import.meta.dirname, '../..')
const folder = await mkdtemp(join(tmpdir(), 'reeve-bench-'))

async function start(): Promise<{ milliseconds: number; pid: number; stop: () => Promise<unknown> }> {
  const begun = performance.now()
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(ROOT, 'server/main.ts')], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compile'),
      REEVE_PORT: '0',
      REEVE_DATA_DIR: folder,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const milliseconds = await new Promise<number>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes('"listening"')) resolve(performance.now() - begun)
    })
  })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  return {
    milliseconds,
    pid: child.pid!,
    stop: () => {
      child.kill('SIGTERM')
      return exited
    },
  }
}

/** Sockets of the process whose other end is a foreign address. */
async function outbound(pid: number): Promise<number> {
  const inodes = new Set<string>()
  for (const fd of await readdir(`/proc/${pid}/fd`)) {
    const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1]
    if (inode) inodes.add(inode)
  }
  let count = 0
  for (const table of ['tcp', 'tcp6', 'udp', 'udp6']) {
    const lines = (await readFile(`/proc/${pid}/net/${table}`, 'utf8')).trim().split('\n').slice(1)
    for (const line of lines) {
      const [, , remote, , , , , , , inode] = line.trim().split(/\s+/)
      if (inode && inodes.has(inode) && remote && !/^0+:0+$/.test(remote)) count++
    }
  }
  return count
}

try {
  await (await start()).stop()
  const times: number[] = []
  for (let i = 0; i < 7; i++) {
    const run = await start()
    times.push(run.milliseconds)
    await run.stop()
  }
  const idle = await start()
  await delay(10_000)
  const memory = residentBytes(idle.pid)
  const connections = await outbound(idle.pid)
  await idle.stop()
  const firstLoad = Number(await readFile(join(ROOT, 'dist/web/.first-load'), 'utf8'))
  hand(
    { figure: 'start: listening, warm, median', value: median(times), unit: 'ms', aim: '< 400' },
    { figure: 'start: memory 10 s later', value: memory / 1024 ** 2, unit: 'MiB', aim: '< 110' },
    { figure: 'first load of /chat, gzip', value: firstLoad, unit: 'kB', aim: '≤ 170' },
  )
  report('Start', {
    'listening after a warm start': `${median(times).toFixed(0)} ms (median of ${times.length}; ${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)})`,
    'memory 10 s after it, modules running': mebibytes(memory),
    'connections to elsewhere': String(connections),
    'JavaScript of the first load of /chat': `${firstLoad.toFixed(0)} kB gzip`,
  })
} finally {
  await rm(folder, { recursive: true, force: true })
}
