import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { createInterface } from 'node:readline'

/** The value below which `share` (0 to 1) of the sorted figures lie. */
export function percentile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}

export function median(figures: readonly number[]): number {
  return percentile(figures, 0.5)
}

/** Resident memory of a process in bytes, as the kernel counts it. Linux only. */
export function residentBytes(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(match?.[1]) * 1024
}

/** Memory of a process that no other shares, in bytes (USS). Linux only. */
export function ownBytes(pid: number): number {
  const rows = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)
  return [...rows].reduce((sum, row) => sum + Number(row[1]) * 1024, 0)
}

/** Processor time that a process and its threads have used so far, in milliseconds. Linux only. */
export function processorTime(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13)
  // In hundredths of a second, whatever the kernel was built with.
  return (Number(user) + Number(system)) * 10
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MiB`
}

/** Prints a heading with what the machine is, then one line per figure. */
export function report(title: string, figures: Record<string, string>): void {
  const [cpu] = cpus()
  const machine = `Node ${process.version}, ${cpus().length} × ${cpu?.model.trim()}, ${mebibytes(totalmem())}`
  const width = Math.max(...Object.keys(figures).map((name) => name.length))
  const lines = Object.entries(figures).map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)
  process.stdout.write(`${title} (${machine})\n${lines.join('\n')}\n`)
}

/**
 * A Node program beside us that prints one JSON line `{"url": …}` when it is ready. `cwd`: its folder, if not ours;
 * `NODE_PATH`: where it finds further packages.
 */
export async function startBeside(
  program: string,
  args: string[] = [],
  { cwd, NODE_PATH }: { cwd?: string; NODE_PATH?: string } = {},
): Promise<{ url: string; child: ChildProcess } & Disposable> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args, '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd,
    env: NODE_PATH === undefined ? process.env : { ...process.env, NODE_PATH },
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`ended with ${code}`)))
    createInterface({ input: child.stdout }).once('line', (line) => resolve((JSON.parse(line) as { url: string }).url))
  })
  return { url, child, [Symbol.dispose]: () => void child.kill('SIGKILL') }
}
