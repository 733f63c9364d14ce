import { describe, expect, test } from 'vitest'
import { planHash } from '../../../server/modules/plan-hash.ts'
import { parseApk, parseApkUpgrades, parseDnfUpgrades, parseDpkg, parseRpm } from './package-lists.ts'
import { planLines, readPlan } from './package-plan.ts'

// Of apt what it printed on Debian 12. Of apk what its documentation shows: it has not been run. dnf runs in test/packages-dnf.test.ts.
const APT = `NOTE: This is only a simulation!
Reading package lists...
Inst libssl3 [3.0.11-1] (3.0.15-1 Debian:12.8/stable, Debian-Security:12/stable-security [amd64])
Inst nginx (1.22.1-9 Debian:12.8/stable [amd64]) []
Remv exim4 [4.96-15] [mailx ]
Purg old-conf [1.0]
Conf libssl3 (3.0.15-1 Debian:12.8/stable [amd64])
`
/** As reeve-op has made them. */
const APK = `Inst busybox (1.36.1-r28 -> 1.36.1-r29)
Inst nginx (1.26.2-r0)
Remv old-thing (1.0-r0)
`

describe('plans', () => {
  test('of apt', () => {
    const lines = planLines(APT)
    expect(lines).toHaveLength(4)
    expect(planHash(lines.join('\n'))).toBe(planHash(APT))
    expect(readPlan('apt', lines)).toEqual([
      {
        act: 'install',
        name: 'libssl3',
        now: '3.0.11-1',
        later: '3.0.15-1',
        origin: 'Debian:12.8/stable, Debian-Security:12/stable-security [amd64]',
      },
      { act: 'install', name: 'nginx', now: '', later: '1.22.1-9', origin: 'Debian:12.8/stable [amd64]' },
      { act: 'remove', name: 'exim4', now: '4.96-15', later: '', origin: '' },
      { act: 'purge', name: 'old-conf', now: '1.0', later: '', origin: '' },
    ])
  })

  test('of apk', () => {
    expect(readPlan('apk', planLines(APK))).toEqual([
      { act: 'install', name: 'busybox', now: '1.36.1-r28', later: '1.36.1-r29', origin: '' },
      { act: 'install', name: 'nginx', now: '', later: '1.26.2-r0', origin: '' },
      { act: 'remove', name: 'old-thing', now: '1.0-r0', later: '', origin: '' },
    ])
  })
})

describe('lists', () => {
  test('of dpkg: what is installed, held or not, and nothing that is gone', () => {
    expect(parseDpkg('toy\t1.0\tall\t12\tii \nheld\t2\tamd64\t\thi \ngone\t1\tall\t5\trc \n\nnonsense\n')).toEqual([
      { name: 'toy', version: '1.0', architecture: 'all', size: 12_288, held: false },
      { name: 'held', version: '2', architecture: 'amd64', size: null, held: true },
    ])
  })
  test('of rpm and dnf', () => {
    const installed = parseRpm('bash\t5.2.26-1.fc40\tx86_64\t8500000\n')
    expect(installed).toEqual([
      { name: 'bash', version: '5.2.26-1.fc40', architecture: 'x86_64', size: 8_500_000, held: false },
    ])
    expect(
      parseDnfUpgrades('bash x86_64 0:5.2.31-1.fc40 updates\nbash x86_64 0:5.2.32-1.fc40 updates\n\n', installed),
    ).toEqual([{ name: 'bash', now: '5.2.26-1.fc40', later: '5.2.32-1.fc40', origin: 'updates' }])
  })
  test('of apk', () => {
    expect(parseApk('busybox-1.36.1-r5 x86_64 {busybox} (GPL-2.0-only) [installed]\nWARNING: opening\n')).toEqual([
      { name: 'busybox', version: '1.36.1-r5', architecture: 'x86_64', size: null, held: false },
    ])
    expect(
      parseApkUpgrades('ca-certificates-20240705-r0 x86_64 {x} (MIT) [upgradable from: ca-certificates-20240226-r0]\n'),
    ).toEqual([{ name: 'ca-certificates', now: '20240226-r0', later: '20240705-r0', origin: '' }])
  })
})
