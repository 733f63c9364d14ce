import v8 from 'node:v8'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Each } from '../../../server/modules/machines.ts'
import { parseDiskUse } from '../operations/journal-vacuum.ts'
import { managedMarks } from '../operations/file-state.ts'
import { parseScheduled } from '../operations/power.ts'
import { parseApk, parseApkUpgrades, parseDnfUpgrades, parseDpkg, parseRpm } from '../packages/package-lists.ts'
import { planLines, readPlan } from '../packages/package-plan.ts'
import { parseDu } from '../programs/disk-use.ts'
import { parseJournal } from '../programs/journal.ts'
import { parseRuleset } from '../programs/nft-ruleset.ts'
import { readCertificates } from '../programs/read-certificates.ts'
import { parseTimers } from '../programs/systemd-timers.ts'
import { parseUnits } from '../programs/systemd-units.ts'
import { parseDf } from '../unix/df.ts'
import { parsePs } from '../unix/ps.ts'
import { parseSysctl } from '../unix/sysctl.ts'
import { BLOCK_FILES, parseBlockDevices } from './block-devices.ts'
import { memoryLimitFiles, tightestLimit } from './cgroup.ts'
import { parseFrequencies, parseLoad, parseModel } from './cpu-info.ts'
import { parseBootTime, parseCpuTimes, share } from './cpu-times.ts'
import { INTERFACE_FILES, parseInterfaces } from './interfaces.ts'
import { type KernelTexts, parseKernelTable } from './kernel-texts.ts'
import { parseMounts } from './mounts.ts'
import { pressureSentence } from './pressure.ts'
import { parseProcess, parseTicks, PROCESS_FILES } from './process-table.ts'
import { parseDefaultRoutes, parseNameServers } from './routes.ts'
import { decodeAddress, parseListeningSockets, parseSocketOwners } from './sockets.ts'
import { parseUserNames } from './users.ts'
import { findContainer, findVirtualization } from './virtualization.ts'

/** Words that mean something to one of the parsers, numbers no counter has, and anything else. */
const word = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'cpu',
      'cpu0',
      'btime',
      'MemTotal:',
      'kB',
      'Uid:',
      'VmRSS:',
      '-',
      '0A',
      '07',
      '/',
      '100%',
      ')',
      '(',
      'nameserver',
      'some',
      'avg10=',
      'Id=x.service',
      'ActiveState=active',
      'ActiveEnterTimestampMonotonic=',
      'kern.boottime:',
      '{ sec =',
      'vm.loadavg: {',
      'processor\t: 0',
      'cpu MHz\t: ',
      '0::',
      'memory:',
      '..',
      '\0',
      '\\040',
      '{"MESSAGE":',
      '}',
      '00000000:0016',
      '99-23:59:59',
      'Inst',
      'Remv toy [1]',
      '(2 Debian [all])',
      'Installing:',
      '(1/2) Purging',
      'Id=x.timer',
      'NextElapseUSecRealtime=@',
      'LastTriggerUSec=',
      '{"nftables":[{"rule":',
      '-----BEGIN CERTIFICATE-----',
      '-----END CERTIFICATE-----',
      'toy-1.0-r0',
      '[upgradable from:',
      'MODE=reboot',
      'USEC=',
      'take up ',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.oneof(
      fc.integer().map(String),
      fc.double().map(String),
      fc.bigInt().map(String),
      fc.constantFrom('9'.repeat(400), '1e999', '-0', '0x7f', 'NaN', 'Infinity'),
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
)
const hostile = fc
  .array(fc.tuple(word, fc.constantFrom(' ', '\t', '\n', '\n\n', ':', '=', ' - ', '')), { maxLength: 60 })
  .map((words) => words.map((pair) => pair.join('')).join(''))
const directories = (files: readonly string[]): fc.Arbitrary<Each[]> =>
  fc.array(
    fc.record({
      name: fc.oneof(fc.integer({ min: 0, max: 2 ** 22 }).map(String), hostile),
      files: fc.dictionary(fc.constantFrom(...files), hostile),
      links: fc.array(
        fc.oneof(
          hostile,
          fc.integer().map((inode) => `socket:[${inode}]`),
        ),
        { maxLength: 5 },
      ),
    }),
    { maxLength: 10 },
  )

/** No number in it is anything that JSON, a table or a chart could not show. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (value instanceof Map) return [...(value as Map<unknown, unknown>).values()].every(isPlain)
  if (value !== null && typeof value === 'object') return Object.values(value).every(isPlain)
  return true
}
const texts = (text: string): KernelTexts => ({ text: () => text, trimmed: () => text.trim(), there: () => false })

const PARSERS: Record<string, (text: string) => unknown> = {
  parseCpuTimes,
  parseBootTime,
  parseModel,
  parseFrequencies,
  parseLoad,
  parseKernelTable,
  parseMounts,
  pressureSentence,
  parseNameServers,
  parseUserNames,
  parseDf,
  parseSysctl,
  parseJournal,
  decodeAddress,
  parseDu,
  parseDpkg,
  parseRpm,
  parseApk,
  parseApkUpgrades,
  parseRuleset,
  parseDiskUse,
  parseScheduled,
  parseDnfUpgrades: (text) => parseDnfUpgrades(text, parseRpm(text)),
  plans: (text) => (['apt', 'dnf', 'apk'] as const).map((manager) => readPlan(manager, planLines(text))),
  certificates: (text) => readCertificates(Buffer.from(text), 1e12),
  managedMarks: (text) => managedMarks(Buffer.from(text)),
  parseTimers: (text) => parseTimers(text, 1e12),
  parseUnits: (text) => parseUnits(text, 1e12),
  parsePs: (text) => parsePs(text, 1e12),
  parseListeningSockets: (text) => parseListeningSockets(() => text),
  parseDefaultRoutes: (text) => parseDefaultRoutes(text, text),
  parseInterfaces: (text) => parseInterfaces(text, [], new Map()),
  memoryLimit: (text) => tightestLimit(memoryLimitFiles(text), texts(text)),
  virtualization: (text) => [findVirtualization(texts(text)), findContainer(texts(text))],
}

/** The parsers that throw at a text, or give what is no plain value. */
function failing(text: string): string[] {
  return Object.entries(PARSERS).flatMap(([name, parse]) => {
    try {
      return isPlain(parse(text)) ? [] : [name]
    } catch (error) {
      return [`${name}: ${String(error)}`]
    }
  })
}

describe('whatever a machine says', () => {
  // As V8 does by itself in a process that has made much code: a pattern that repeats without bound then needs memory for each
  // character, and fails with a RangeError after some millions.
  beforeAll(() => v8.setFlagsFromString('--no-regexp-optimization'))
  afterAll(() => v8.setFlagsFromString('--regexp-optimization'))

  test.each(Object.entries(PARSERS))('%s yields plain values and never throws', (_name, parse) => {
    fc.assert(
      fc.property(hostile, (text) => isPlain(parse(text))),
      { numRuns: 300 },
    )
    expect(isPlain(parse(''))).toBe(true)
  })

  test('of each of its processes and devices, too', () => {
    const each = fc.record({
      processes: directories(PROCESS_FILES.files),
      devices: directories([...BLOCK_FILES.files, ...INTERFACE_FILES.files]),
      text: hostile,
    })
    fc.assert(
      fc.property(each, ({ processes, devices, text }) => {
        const numbered = processes.filter(({ name }) => /^\d+$/.test(name))
        const rows = numbered.map((directory) => parseProcess(directory, 1e12))
        const found = [
          rows,
          parseTicks(numbered),
          parseSocketOwners(numbered, new Set(['1', '2'])),
          parseBlockDevices(devices),
          parseInterfaces(text, devices, new Map()),
        ]
        expect(found.filter((each) => !isPlain(each))).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  test('shares are percent', () => {
    const isPercent = (percent: number): boolean => percent >= 0 && percent <= 100
    fc.assert(fc.property(fc.double({ noNaN: true }), fc.double(), (part, total) => isPercent(share(part, total))))
    expect(share(1, 4)).toBe(25)
  })

  test('limits are only looked for below the control groups', () => {
    fc.assert(
      fc.property(hostile, (text) =>
        memoryLimitFiles(text)
          .flat()
          .every(
            ({ limit }) => limit.startsWith('/sys/fs/cgroup/') && !limit.includes('/../') && !limit.includes('\0'),
          ),
      ),
    )
    expect(memoryLimitFiles(`0::/${'a/'.repeat(5000)}`).flat()).toHaveLength(1)
  })

  // 4 MB without a line end, of what patterns like best; a pattern that goes back and forth would take minutes.
  test.each([' ', 'a', '\t', '0', ': ', 'cpu ', '9 ', '\\040', 'flags', '- '])(
    'a line of four megabytes of %j is read in time',
    (piece) => {
      const text = piece.repeat((4 * 1024 * 1024) / piece.length)
      const line = `flags : x\n${text}`
      expect(failing(line)).toEqual([])
    },
  )

  test.each(['nameserver ', 'btime ', 'cpu ', 'MemTotal: ', 'container=', 'Id='])(
    'nor do four megabytes after %j stop anything',
    (before) => {
      const after = ['a', '1', ' '].map((piece) => before + piece.repeat(4 * 1024 * 1024))
      expect(after.flatMap(failing)).toEqual([])
    },
  )

  test('nor in what is said of a process', () => {
    const long = '1'.repeat(4 * 1024 * 1024)
    const stat = '7 (x) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 100 0 0'
    const process = { stat, status: `Uid:\t${long}`, cmdline: `sh${'\0'.repeat(4 * 1024 * 1024)}` }
    expect(parseProcess({ name: '7', files: process }, 0)).toMatchObject({ pid: 7, uid: -1, command: 'sh' })
  })
})
