import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Capabilities, IsolationLevel } from '../../../contract/modules.ts'
import type { Launch } from '../../../server/modules/spec/launch.ts'
import type { ModuleLink } from '../../../server/modules/spec/module-link.ts'
import type { ProcessLimits } from '../../../server/modules/process/process-limits.ts'
import { skipReason } from '../skip-reason.ts'
import { readProcess, readProcessTable } from '../../../server/modules/process/process-table.ts'
import { openSandbox, type Sandbox } from '../../../server/modules/process/sandbox.ts'

const SCRIPTS = join(import.meta.dirname, '../../hostile-modules')
const MIB = 1024 * 1024
export const NOTHING: Capabilities = { network: 'none', folders: [], commands: [] }
export const LIMITS: ProcessLimits = { memory_bytes: 512 * MIB }
const log = { info: () => undefined, warn: () => undefined }

/** Whether bubblewrap works here, and why not. */
async function whatWorks(): Promise<{ isolated: boolean; reason: string }> {
  await using sandbox = await openSandbox({ log, node: process.execPath })
  await sandbox.ready()
  const best = sandbox.levels[0]
  return { isolated: best?.level === 'isolated', reason: best?.reason.toString() ?? '' }
}
const works = await whatWorks()

/** The level that Node's permission model gives with this Node. */
export const NODE_LEVEL = process.allowedNodeEnvironmentFlags.has('--allow-net') ? 'restricted' : 'guarded'
/** Levels that can be tested on this machine; `isolated` only where bubblewrap works. */
export const LEVELS: readonly IsolationLevel[] = [
  ...(works.isolated ? (['isolated'] as const) : []),
  NODE_LEVEL,
  'process',
]
export const isolationWorks = works.isolated
if (!works.isolated) {
  if (spawnSync('bwrap', ['--version']).error) skipReason('bubblewrap is not installed')
  process.stderr.write(`Tests of the level “isolated” are skipped: ${works.reason}\n`)
}

export interface Agent {
  readonly link: ModuleLink
  /** Messages that came without being an answer. */
  readonly heard: unknown[]
  /** Resolves with what the deed gave, or with `Error: CODE` when it failed. */
  ask(deed: string, params?: Record<string, unknown>): Promise<unknown>
}
export interface StartOptions {
  readonly script?: string
  readonly args?: readonly string[]
  readonly env?: Record<string, string>
  readonly grants?: Partial<Capabilities>
  readonly limits?: Partial<ProcessLimits>
  readonly name?: string
}

/** A folder like that of the service: a database file, and folders of modules; and a sandbox of one level. */
export async function openStage(level: IsolationLevel, { pids = false, hidden = false } = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-sandbox-')))
  const bundleFolder = join(folder, 'bundle')
  mkdirSync(bundleFolder)
  // A program that is not called `node`, for the level below.
  symlinkSync(process.execPath, join(bundleFolder, 'program'))
  const options = {
    log,
    node: process.execPath,
    ...(pids ? { pids: join(folder, 'pids') } : {}),
    ...(hidden ? { hidden: [join(folder, 'private')] } : {}),
  }
  const sandbox: Sandbox = await openSandbox(level === 'isolated' ? options : { ...options, bwrap: '/missing/bwrap' })

  function launch({ script = 'agent', args = [], env = {}, name = 'one' }: StartOptions): Launch {
    const path = join(bundleFolder, `${script}.mjs`)
    copyFileSync(join(SCRIPTS, `${script}.js`), path)
    const dataFolder = join(folder, 'data', name)
    mkdirSync(dataFolder, { recursive: true })
    return { command: level === 'process' ? './program' : 'node', args: [path, ...args], env, bundleFolder, dataFolder }
  }

  return {
    folder,
    bundleFolder,
    sandbox,
    launch,
    dataFolder: (name = 'one') => join(folder, 'data', name),
    async start(start: StartOptions = {}): Promise<Agent> {
      const link = await sandbox.start(
        launch(start),
        { ...NOTHING, ...start.grants },
        { ...LIMITS, ...start.limits },
        new AbortController().signal,
      )
      return openAgent(link)
    },
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function openAgent(link: ModuleLink): Promise<Agent> {
  const waiting = new Map<number, (answer: unknown) => void>()
  const heard: unknown[] = []
  let last = 0
  link.transport.onmessage = (message: object) => {
    const { id, result, error } = message as { id?: number; result?: { value: unknown }; error?: { message: string } }
    const answer = id === undefined ? undefined : waiting.get(id)
    if (answer === undefined) heard.push(message)
    else answer(error === undefined ? result?.value : `Error: ${error.message}`)
  }
  link.transport.onclose = () => {
    for (const answer of waiting.values()) answer('Error: gone')
  }
  await link.transport.start()
  return {
    link,
    heard,
    async ask(method, params = {}) {
      const id = (last += 1)
      const answer = new Promise((resolve) => waiting.set(id, resolve))
      await link.transport.send({ jsonrpc: '2.0', id, method, params })
      return answer
    },
  }
}

/** Whether the process runs; one that ended and was not yet asked for its code does not. */
export function runs(pid: number): boolean {
  const row = readProcess(pid)
  return row !== null && !row.zombie
}

/** Processes with the mark in their command line: what a sandbox holds, and what it consists of. */
export function marked(mark: string): number[] {
  return [...readProcessTable().keys()].filter((pid) => {
    try {
      return runs(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark)
    } catch {
      return false
    }
  })
}
