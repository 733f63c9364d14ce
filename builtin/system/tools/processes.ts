import os from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { tool } from '../../tool.ts'
import { readProcesses, readProcessTicks, type ProcessEntry } from '../linux/process-table.ts'
import { requireLinux, TICKS } from '../linux/proc.ts'
import { readUserNames } from '../linux/users.ts'

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
export const processesTool = tool({
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
  async run({ sort, limit, filter, user }, { signal }) {
    requireLinux('Processes')
    const before = await readProcessTicks(signal)
    const from = performance.now()
    await setTimeout(SAMPLE_MS, undefined, { signal })
    const seconds = (performance.now() - from) / 1000
    const users = readUserNames()
    const wanted = filter?.toLowerCase()
    const all = (await readProcesses(signal)).map((entry) => ({
      ...describe(entry, users),
      cpu: usage(entry, before, seconds),
    }))
    const found = all.filter(
      (row) =>
        (wanted === undefined || row.command.toLowerCase().includes(wanted)) &&
        (user === undefined || row.user === user),
    )
    found.sort((a, b) => {
      if (sort === 'pid') return a.pid - b.pid
      if (sort === 'started') return a.started < b.started ? 1 : a.started > b.started ? -1 : b.pid - a.pid
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

function describe(entry: ProcessEntry, users: ReadonlyMap<number, string>) {
  return {
    pid: entry.pid,
    user: users.get(entry.uid) ?? String(entry.uid),
    memory: entry.memory,
    memory_share: Math.round((entry.memory / os.totalmem()) * 1000) / 10,
    state: STATES.get(entry.state) ?? entry.state,
    threads: entry.threads,
    started: new Date(entry.started).toISOString(),
    parent: entry.parent,
    command: entry.command,
  }
}

/** Percent of one core. A process that is new since the first sample has used all its ticks in this time. */
function usage(entry: ProcessEntry, before: ReadonlyMap<number, number>, seconds: number): number {
  const ticks = entry.ticks - (before.get(entry.pid) ?? 0)
  return Math.round((Math.max(ticks, 0) / TICKS / seconds) * 1000) / 10
}
