import os from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALPINE } from './stage/machines/alpine.ts'
import { FEDORA } from './stage/machines/fedora.ts'
import { openMachines } from './stage/machines/open-machines.ts'

let machines: Awaited<ReturnType<typeof openMachines>>
const call: typeof machines.call = (...about) => machines.call(...about)
const facts: typeof machines.facts = (host_id) => machines.facts(host_id)
beforeAll(async () => {
  machines = await openMachines({ alpine: ALPINE, fedora: FEDORA })
})
afterAll(() => machines[Symbol.asyncDispose]())

describe('the machine of a call', () => {
  test('is this one unless the call names another', async () => {
    for (const host_id of [undefined, 'local'])
      expect((await call(host_id, 'host')).text).toContain(`${os.hostname()} runs `)
    expect((await call('alpine', 'host')).text).toBe(
      'edge-1 runs Alpine Linux v3.20, up 1 d 0 h 1 min, load 0.08, 0.03, 0.01 on 1 cores.',
    )
  })
  test('that is gone is told, and nothing is asked of another', async () => {
    expect(await call('hst_gone', 'run_command', { command: 'true' })).toMatchObject({
      failed: true,
      text: 'There is no machine with the id "hst_gone" any more.',
    })
  })
  test.each([[''], ['a b'], ['x'.repeat(65)], ['../local'], [7], [null], [['local']], [{}]])(
    'that is named by %j is none, and never this one',
    async (host_id) => {
      expect(await call(host_id, 'run_command', { command: 'true' })).toMatchObject({
        failed: true,
        text: 'The call names its machine by something that is no id.',
      })
    },
  )
})

describe('Alpine with BusyBox', () => {
  test('host', async () => {
    expect(await facts('alpine')).toMatchObject({
      Kernel: 'Linux 6.6.32-0-virt',
      Memory: '0.5 GiB',
      Virtualisation: 'QEMU Standard PC (Q35 + ICH9, 2009)',
      Container: 'none found',
      'Time zone': 'unknown',
      'Runs as': 'reeve-op',
    })
  })
  test('its clock counts, not this one', async () => {
    const { 'Local time': shown } = await facts('alpine')
    const ahead = Date.now() - Date.parse(`${String(shown).replace(' GMT', '').replace(' ', 'T')}Z`.replace('+0Z', 'Z'))
    expect(ahead).toBeGreaterThan(80_000)
    expect(ahead).toBeLessThan(120_000)
  })
  test('memory and processor, without pressure figures and without a limit', async () => {
    const memory = await call('alpine', 'memory')
    expect(memory.text).toBe('Memory is 19.3 % used. Swap is 0 % used. Pressure is not measured by this kernel.')
    expect(memory.rows('Memory')).toHaveLength(2)
    const cpu = await call('alpine', 'cpu')
    expect(cpu.text).toContain('QEMU Virtual CPU version 2.5+, 1 cores')
    expect(cpu.rows('Use per core')).toMatchObject([{ core: 'all' }, { core: '0', frequency: 2400 }])
  })
  test('disks: a share that does not answer is named', async () => {
    const disks = await call('alpine', 'disks')
    expect(disks.text).toContain('90 % full or more: /boot. No answer from: /media/my share.')
    expect(disks.rows('File systems')).toMatchObject([
      { path: '/', usage: 22.2, inodes: 16.4 },
      { path: '/boot', usage: 97.8, inodes: null },
      { path: '/media/my share', type: 'nfs4', usage: null },
    ])
    expect(disks.rows('Block devices')).toEqual([
      { name: 'vda', model: '', size: 2_147_483_648, rotational: true, removable: false, read_only: false },
    ])
  })
  test('network', async () => {
    const network = await call('alpine', 'network')
    expect(network.text).toBe('Host edge-1. Default route: 192.168.0.1 by eth0. Name servers: 192.168.0.1.')
    expect(network.rows('Interfaces')).toMatchObject([
      { name: 'lo', state: 'up', addresses: '127.0.0.1/8' },
      {
        name: 'eth0',
        state: 'up',
        addresses: '192.168.0.15/24',
        mac: '52:54:00:12:34:56',
        mtu: 1500,
        errors: 2,
        dropped: 4,
      },
    ])
    expect(network.rows('Listening sockets')).toMatchObject([
      { address: '0.0.0.0', port: 22, pid: 812, user: 'root', command: expect.stringContaining('sshd: ') as string },
    ])
  })
  test('processes, one with a name that pretends to be fields', async () => {
    expect((await call('alpine', 'processes', { sort: 'pid' })).rows('Processes')).toMatchObject([
      { pid: 1, user: 'root', command: '/sbin/init', memory: 720_896, started: '2024-11-19T07:06:40.000Z' },
      { pid: 812, command: 'sshd: /usr/sbin/sshd [listener] 0 of 10-100 startups', parent: 1 },
      { pid: 900, user: '4242', state: 'sleeping', threads: 3, command: '/tmp/a) R 9 (b --flag two words', parent: 1 },
    ])
  })
  test('services and logs say that there is no systemd, and files can be read', async () => {
    expect(await call('alpine', 'services')).toMatchObject({
      failed: true,
      text: expect.stringContaining('systemd does not manage this machine (process 1 is init)') as string,
    })
    expect(await call('alpine', 'logs')).toMatchObject({
      failed: true,
      text: expect.stringContaining('There are: dmesg, messages.') as string,
    })
    const found = await call('alpine', 'logs', { file: 'messages', contains: 'AUTH' })
    expect(found.rows('/var/log/messages')).toEqual([{ line: 'Nov 19 08:00:01 edge-1 auth.err: second' }])
  })
  test('a program that is missing, and a process', async () => {
    expect((await call('alpine', 'run_command', { command: 'apt-get' })).text).toBe(
      'There is no program "apt-get" on this machine.',
    )
    expect((await call('alpine', 'signal_process', { pid: 901 })).text).toBe('There is no process 901.')
    // Its first process is nobody's to signal; the number of this one means nothing there.
    expect((await call('alpine', 'signal_process', { pid: 1 })).text).toContain('not signalled from here')
    expect((await call('alpine', 'signal_process', { pid: process.pid })).text).toBe(
      `There is no process ${process.pid}.`,
    )
  })
  test.each([
    ['host', 1],
    ['cpu', 3],
    ['memory', 2],
    ['disks', 3],
    ['processes', 3],
    ['network', 4],
    ['logs', 2],
  ])('%s asks a number of questions that does not grow: %i', async (tool, expected) => {
    expect(await machines.questions('alpine', () => call('alpine', tool))).toHaveLength(expected)
  })
})

describe('Fedora with systemd', () => {
  test('host: zone and uptime', async () => {
    expect(await facts('fedora')).toMatchObject({
      'Host name': 'build-7.example.org',
      'Operating system': 'Fedora Linux 40 (Server Edition)',
      Uptime: '1 h 0 min',
      'Time zone': 'Europe/Berlin',
      'Local time': expect.stringMatching(/GMT\+[12]$/) as string,
      Virtualisation: 'none found',
    })
  })
  test('pressure, frequencies, and the limit above the control group', async () => {
    expect((await call('fedora', 'cpu')).text).toContain('some tasks waited 1.53 % of the time')
    const cores = (await call('fedora', 'cpu')).rows('Use per core')
    expect(cores.map(({ core, frequency }) => [core, frequency])).toEqual([
      ['all', null],
      ['0', 1500],
      ['1', 3300],
    ])
    const limit = (await call('fedora', 'memory')).rows('Memory').at(-1)
    expect(limit).toMatchObject({ name: 'Limit of this control group', total: 2_147_483_648, usage: 25 })
  })
  test('disks: one file system mounted twice counts once', async () => {
    const disks = await call('fedora', 'disks')
    expect(disks.rows('File systems').map(({ path, read_only }) => [path, read_only])).toEqual([
      ['/', false],
      ['/boot', true],
    ])
    expect(disks.rows('Block devices')).toMatchObject([{ name: 'nvme0n1', model: 'SAMSUNG MZVL21T0HCLR-00B00' }])
  })
  test('services and journal by its own programs', async () => {
    const services = await call('fedora', 'services')
    expect(services.text).toBe('2 services, 2 match. Failed: dnf-makecache.service.')
    expect(services.rows('Services')).toMatchObject([
      { unit: 'dnf-makecache.service', state: 'failed' },
      { unit: 'sshd.service', since: '2024-11-19T07:06:52.000Z' },
    ])
    const asked = await machines.questions('fedora', async () => {
      const { rows } = await call('fedora', 'logs', { unit: 'sshd.service' })
      expect(rows('Journal')).toMatchObject([{ priority: 'err', source: 'sshd', message: 'refused' }])
    })
    expect(asked.at(-1)).toContain('journalctl --output=json --no-pager --quiet --lines=100 --unit=sshd.service')
  })
})
