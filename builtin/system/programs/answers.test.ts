import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { parseDiskUse } from '../operations/journal-vacuum.ts'
import { parseScheduled } from '../operations/power.ts'
import { parseDu } from './disk-use.ts'
import { parseRuleset } from './nft-ruleset.ts'
import { readCertificates } from './read-certificates.ts'
import { parseTimers } from './systemd-timers.ts'

test('du: the last line is the folder itself, the others largest first', () => {
  expect(parseDu('4\t/srv/a\n100\t/srv/b\twith a tab\nnonsense\n104\t/srv\n')).toEqual({
    total: 106_496,
    entries: [
      { path: '/srv/b\twith a tab', size: 102_400 },
      { path: '/srv/a', size: 4096 },
    ],
  })
  expect(parseDu('')).toEqual({ total: null, entries: [] })
})

test('timers: soonest first, in the ways in which versions of systemd write times', () => {
  const show = (fields: Record<string, string>) =>
    Object.entries({ LoadState: 'loaded', ActiveState: 'active', ...fields })
      .map(([key, value]) => `${key}=${value}\n`)
      .join('')
  const text = [
    show({ Id: 'late.timer', Unit: 'late.service', NextElapseUSecRealtime: 'Tue 2024-11-19 09:00:00 UTC' }),
    show({ Id: 'soon.timer', NextElapseUSecRealtime: '@1732003000', LastTriggerUSec: '@1731999400' }),
    show({ Id: 'boot.timer', NextElapseUSecRealtime: '', NextElapseUSecMonotonic: '1h 15min 1.5s' }),
    show({ Id: 'never.timer', NextElapseUSecRealtime: 'n/a', NextElapseUSecMonotonic: 'infinity' }),
    show({ Id: 'far.timer', NextElapseUSecRealtime: 'Tue 2024-11-19 09:00:00 CET' }),
    show({ Id: 'gone.timer', LoadState: 'not-found' }),
  ].join('\n')
  expect(parseTimers(text, 0).map(({ timer, next, last }) => [timer, next, last])).toEqual([
    ['boot.timer', '1970-01-01T01:15:01.500Z', null],
    ['soon.timer', '2024-11-19T07:56:40.000Z', '2024-11-19T06:56:40.000Z'],
    ['late.timer', '2024-11-19T09:00:00.000Z', null],
    ['far.timer', null, null],
    ['never.timer', null, null],
  ])
})

test('nft: rules and policies; what is nested deeper than can be written is not understood', () => {
  const text = JSON.stringify({
    nftables: [
      { metainfo: { version: '1.0.6' } },
      { table: { family: 'inet', name: 'filter', handle: 1 } },
      { chain: { family: 'inet', table: 'filter', name: 'input', handle: 1, hook: 'input', policy: 'drop' } },
      { chain: { family: 'inet', table: 'filter', name: 'own', handle: 2 } },
      {
        rule: { family: 'inet', table: 'filter', chain: 'input', handle: 4, comment: 'ssh', expr: [{ accept: null }] },
      },
    ],
  })
  expect(parseRuleset(text)).toEqual([
    { table: 'inet filter', chain: 'input', handle: 1, rule: 'policy drop', comment: 'input' },
    { table: 'inet filter', chain: 'input', handle: 4, rule: '[{"accept":null}]', comment: 'ssh' },
  ])
  expect(parseRuleset('{"nftables":[]}')).toEqual([])
  expect(parseRuleset('Operation not permitted')).toBeNull()
  const deep = `{"nftables":[{"rule":{"expr":${'['.repeat(200_000)}${']'.repeat(200_000)}}}]}`
  expect(parseRuleset(deep)).toBeNull()
})

test('certificates of PEM and DER, with the days that are left; keys and rubbish are passed over', () => {
  const subject = ['-subj', '/CN=web.example.org', '-addext', 'subjectAltName=DNS:web.example.org,DNS:www.example.org']
  const made = ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-days', '30', '-keyout', '-', ...subject]
  const pem = execFileSync('openssl', made, { stdio: ['ignore', 'pipe', 'ignore'] })
  const found = readCertificates(Buffer.concat([Buffer.from('text\n'), pem, pem]), Date.now())
  expect(found).toHaveLength(2)
  expect(found[0]).toMatchObject({
    subject: 'CN=web.example.org',
    names: 'web.example.org, www.example.org',
    self_signed: true,
    days: 29,
  })
  expect(JSON.stringify(found)).not.toContain('PRIVATE')
  const der = Buffer.from(pem.toString().split('-----BEGIN CERTIFICATE-----')[1]!.split('-----END')[0]!, 'base64')
  expect(readCertificates(der, Date.now())).toEqual([found[0]])
  expect(readCertificates(Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'), 0)).toEqual([])
})

test('what is scheduled, and what the journal uses', () => {
  expect(parseScheduled('USEC=1732003000000000\nWARN_WALL=1\nMODE=reboot\n')).toBe('reboot 2024-11-19T07:56:40.000Z')
  expect(parseScheduled('MODE=reboot\n')).toBe('')
  expect(parseDiskUse('Archived and active journals take up 48.0M in the file system.')).toBe(50_331_648)
  expect(parseDiskUse('No journal files were found.')).toBeNull()
})
