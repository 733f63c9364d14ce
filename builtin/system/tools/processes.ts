import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import type { Machine, MachineFacts } from '../../../server/modules/machines.ts'
import { parseBootTime } from '../linux/cpu-times.ts'
import { isoTime, parseKernelTable, readTexts, TICKS } from '../linux/kernel-texts.ts'
import {
  parseProcess,
  parseTicks,
  PROCESS_FILES,
  PROCESS_STAT,
  PROCESSES,
  type ProcessEntry,
} from '../linux/process-table.ts'
import { parseUserNames } from '../linux/users.ts'
import { machineTool } from '../machine-tool.ts'
import { askProgram } from '../programs/ask-program.ts'
import { parsePs, PS } from '../unix/ps.ts'
import { parseSysctl, SYSCTL } from '../unix/sysctl.ts'

const BOOT = '/proc/stat'
const MEMORY = '/proc/meminfo'
const ACCOUNTS = '/etc/passwd'

const SAMPLE_MS = 300
const STATES: ReadonlyMap<string, string> = new Map([
  ['R', 'running'],
  ['S', 'sleeping'],
  ['D', 'waiting for a device'],
  ['T', 'stopped'],
  ['t', 'traced'],
  ['Z', 'zombie'],
  ['I', 'idle'],
])

/** Lists running processes and what they use. */
export const processesTool = machineTool({
  name: 'processes',
  title: 'Processes',
  description:
    'Running processes with user, CPU use measured over 0.3 s (100 % is one whole core), memory, state, start time and command. Sort by cpu, memory, pid or ' +
    'started; filter by a part of the command or by user. Use it to find out what uses the machine, or whether a program runs.',
  effect: 'read',
  main_argument: 'filter',
  input: z.strictObject({
    sort: z
      .enum(['cpu', 'memory', 'pid', 'started'])
      .default('cpu')
      .describe('cpu and memory: largest first; started: newest first'),
    limit: z.int().min(1).max(1000).default(25).describe('How many to list'),
    filter: z
      .string()
      .max(200)
      .optional()
      .describe('Only processes whose command contains this, upper and lower case alike'),
    user: z.string().max(64).optional().describe('Only processes of this user'),
  }),
  async run({ sort, limit, filter, user }, { machine, signal }) {
    const facts = await machine.facts(signal)
    const all = await (facts.system === 'Linux' ? linuxRows(machine, signal) : otherRows(machine, facts, signal))
    const wanted = filter?.toLowerCase()
    const found = all.filter(
      (row) =>
        (wanted === undefined || row.command.toLowerCase().includes(wanted)) &&
        (user === undefined || row.user === user),
    )
    found.sort((a, b) => {
      if (sort === 'pid') return a.pid - b.pid
      if (sort === 'started') return compare(b.started, a.started) || b.pid - a.pid
      // Most processes use no CPU at all; among those, the larger ones are more interesting than kernel threads.
      return b[sort] - a[sort] || b.memory - a.memory || a.pid - b.pid
    })
    return {
      text: `${all.length} processes, ${found.length} of them match; sorted by ${sort}.`,
      tables: [
        {
          title: 'Processes',
          columns: [
            { key: 'pid', label: 'Process', type: 'integer' },
            { key: 'user', label: 'User', type: 'text' },
            { key: 'cpu', label: 'CPU', type: 'percent' },
            { key: 'memory', label: 'Memory', type: 'bytes' },
            { key: 'memory_share', label: 'Memory share', type: 'percent' },
            { key: 'state', label: 'State', type: 'text' },
            { key: 'threads', label: 'Threads', type: 'integer' },
            { key: 'started', label: 'Started', type: 'datetime' },
            { key: 'parent', label: 'Parent', type: 'integer' },
            { key: 'command', label: 'Command', type: 'text' },
          ],
          rows: found.slice(0, limit),
          total_rows: found.length,
        },
      ],
    }
  },
})

async function linuxRows(machine: Machine, signal: AbortSignal) {
  const before = parseTicks(await machine.readEach(PROCESSES, PROCESS_STAT, signal))
  const from = performance.now()
  await setTimeout(SAMPLE_MS, undefined, { signal })
  const seconds = (performance.now() - from) / 1000
  const [{ text }, directories] = await Promise.all([
    readTexts(machine, [BOOT, MEMORY, ACCOUNTS], signal),
    machine.readEach(PROCESSES, PROCESS_FILES, signal),
  ])
  const boot = parseBootTime(text(BOOT))
  const total = parseKernelTable(text(MEMORY)).get('MemTotal')
  const users = parseUserNames(text(ACCOUNTS))
  return directories.flatMap((directory) => {
    const entry = parseProcess(directory, boot)
    if (entry === null) return []
    return [
      {
        ...row({ ...entry, user: users.get(entry.uid) ?? String(entry.uid), started: isoTime(entry.started) }, total),
        cpu: usage(entry, before, seconds),
        threads: entry.threads,
      },
    ]
  })
}

/** Where there is no /proc: `ps` knows no threads, and CPU use only as the average that the system keeps. */
async function otherRows(machine: Machine, { clock }: MachineFacts, signal: AbortSignal) {
  const [listed, state] = await Promise.all([
    askProgram(machine, PS, 10_000, signal),
    askProgram(machine, SYSCTL, 10_000, signal),
  ])
  const total = parseSysctl(state.stdout).memory ?? undefined
  return parsePs(listed.stdout, Date.now() + clock.offset_ms).map((entry) => ({
    ...row(entry, total),
    cpu: entry.cpu,
    threads: null,
  }))
}

interface Shown extends Pick<ProcessEntry, 'pid' | 'parent' | 'memory' | 'state' | 'command'> {
  readonly user: string
  readonly started: string | null
}

/** `total` is the memory of the machine in bytes, if it says. */
function row({ pid, user, memory, state, started, parent, command }: Shown, total: number | undefined) {
  return {
    pid,
    user,
    memory,
    memory_share: total === undefined || total === 0 ? null : Math.round((memory / total) * 1000) / 10,
    state: STATES.get(state) ?? state,
    started,
    parent,
    command,
  }
}

/** Percent of one core. A process that is new since the first sample has used all its ticks in this time. */
function usage(entry: ProcessEntry, before: ReadonlyMap<number, number>, seconds: number): number {
  const ticks = entry.ticks - (before.get(entry.pid) ?? 0)
  return Math.round((Math.max(ticks, 0) / TICKS / seconds) * 1000) / 10
}

/** What has no time counts as the oldest. */
function compare(a: string | null, b: string | null): number {
  return (a ?? '') < (b ?? '') ? -1 : (a ?? '') > (b ?? '') ? 1 : 0
}
