import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TABLE_ROW_LIMIT, RESULT_TEXT_LIMIT, type ToolResult } from '../server/chat/ports/tools.ts'
import type { CallHost } from '../server/chat/ports/hosts.ts'
import { fairShares } from '../server/chat/targets/fair-shares.ts'
import { fanOut } from '../server/chat/targets/fan-out.ts'
import { mergeResults } from '../server/chat/targets/merge-results.ts'

const never = new AbortController().signal
const hostsOf = (count: number) =>
  Array.from({ length: count }, (_, i): CallHost => {
    return { host_id: `h${i}`, name: `h${i}`, tags: [], local: false, disabled: false, bound: `${i}` }
  })
const result = (status: ToolResult['status'], more: Partial<ToolResult> = {}): ToolResult => ({
  status,
  text: status,
  tables: [],
  files: [],
  ...more,
})

test('shares are whole, no larger than what is wanted, and fair', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3000), { minLength: 1, maxLength: 40 }), fc.nat(2000), (wants, most) => {
      const shares = fairShares(wants, most)
      const sum = shares.reduce((a, b) => a + b, 0)
      expect(sum).toBeLessThanOrEqual(most)
      if (wants.reduce((a, b) => a + b, 0) <= most) expect(shares).toEqual(wants)
      for (const [i, share] of shares.entries()) {
        expect(share).toBeLessThanOrEqual(wants[i]!)
        // Whoever gets less than it wants gets as much as anybody, but for the rest of a division.
        if (share < wants[i]!) expect(share).toBeGreaterThanOrEqual(Math.max(...shares) - 1)
      }
    }),
  )
})

test.each([
  [true, 16],
  [false, 4],
])('reads (%s): at most %i at once, the first change alone', async (reads, most) => {
  let running = 0
  const seen: number[] = []
  const ends = await fanOut(
    {
      hosts: hostsOf(40),
      reads,
      async call() {
        seen.push(++running)
        await new Promise(setImmediate)
        running--
        return result('done')
      },
      onBegin: () => Promise.resolve(),
      onEnd: () => Promise.resolve(),
    },
    never,
  )
  expect(ends.map(({ status }) => status)).toEqual(Array(40).fill('done'))
  expect(Math.max(...seen)).toBe(most)
  if (!reads) expect(seen[1]).toBe(1)
})

test('after one that did not come through nothing begins; what runs then ends, and is told', async () => {
  for (const status of ['failed', 'unknown', 'cancelled'] as const) {
    const begun: string[] = []
    const ended: string[] = []
    const ends = await fanOut(
      {
        hosts: hostsOf(20),
        reads: false,
        call: ({ name }) => Promise.resolve(result(name === 'h6' ? status : 'done')),
        onBegin: async ({ name }) => void begun.push(name),
        onEnd: async ({ host }) => void ended.push(host.name),
      },
      never,
    )
    expect(ended.toSorted()).toEqual(begun.toSorted())
    expect(begun.length).toBeLessThanOrEqual(10)
    expect(ends.filter((end) => end.status === 'skipped')).toHaveLength(20 - begun.length)
    expect(mergeResults(ends, false, 'en').status).toBe(status === 'cancelled' ? 'cancelled' : status)
  }
})

test('what cannot be stored ends it once nothing runs', async () => {
  let running = 0
  const broken = fanOut(
    {
      hosts: hostsOf(20),
      reads: false,
      async call() {
        running++
        await new Promise(setImmediate)
        running--
        return result('done')
      },
      onBegin: ({ name }) => (name === 'h3' ? Promise.reject(new Error('the disk is full')) : Promise.resolve()),
      onEnd: () => Promise.resolve(),
    },
    never,
  )
  await expect(broken).rejects.toThrow('the disk is full')
  expect(running).toBe(0)
})

test('one table of many: the machine first, 1000 rows shared fairly, problems on top, the text bounded', () => {
  const table = (rows: number) => ({
    title: 'Disks',
    columns: [{ key: 'host', label: 'Host', type: 'text' as const }],
    rows: Array.from({ length: rows }, (_, i) => ({ host: `cell ${i}` })),
    total_rows: rows * 2,
    chart: { kind: 'bar' as const, x: 'host', y: ['host'] },
  })
  const ends = hostsOf(100).map((host, i) => {
    const failed = i % 10 === 9
    const status = failed ? ('failed' as const) : ('done' as const)
    const text = failed ? 'It is silent.\u0007' : 'x'.repeat(5000)
    const tables = failed ? [] : [table(i === 0 ? 900 : 5)]
    return { host, status, started_at: 1, ended_at: 3, result: result(status, { text, tables }) }
  })
  const merged = mergeResults(ends, true, 'en')
  expect(merged.status).toBe('done')
  expect(merged.text.length).toBeLessThanOrEqual(RESULT_TEXT_LIMIT)
  const [machines, disks] = merged.tables
  expect(machines!.rows.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill('failed'))
  expect(machines!.rows[0]).toEqual({ host: 'h9', status: 'failed', time: 2, problem: 'It is silent.\\u{7}' })
  expect(machines!.rows[10]).toMatchObject({ host: 'h0', status: 'done', problem: null })
  // A column of that name is the module's own.
  expect(disks!.columns.map(({ key }) => key)).toEqual(['machine', 'host'])
  expect(disks!.rows.length).toBeLessThanOrEqual(TABLE_ROW_LIMIT)
  expect(disks!.rows.filter((row) => row.machine === 'h1')).toHaveLength(5)
  expect(disks!.rows.filter((row) => row.machine === 'h0')).toHaveLength(TABLE_ROW_LIMIT - 89 * 5)
  expect(disks!.total_rows).toBe(1800 + 89 * 10)
  expect(disks!.chart).toBeUndefined()
})
