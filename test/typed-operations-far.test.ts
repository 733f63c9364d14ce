import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Approval } from '../contract/chat.ts'
import { contract } from '../contract/index.ts'
import { readHelperFiles } from '../server/hosts/reeve-op/shipped-files.ts'
import { setupScript } from '../server/hosts/setup-script.ts'
import { decide, openStage, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { whyNoMachines } from './stage/machines/furnished-debian.ts'
import { openSystemdMachines, type SystemdMachine, type SystemdMachines } from './stage/machines/systemd-machines.ts'
import { publishToy, takePackagesFrom } from './stage/machines/toy-packages.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const LIMIT_MS = 600_000
const { addHost, pinHost, removeHost, sshKeys, updateHost } = contract.hosts
const scratch = mkdtempSync(`${tmpdir()}/reeve-far-`)
const why = whyNoMachines(scratch)
rmSync(scratch, { recursive: true, force: true })

const unit = (command: string, more = '') => `[Service]\nExecStart=/bin/sh -c '${command}'\n${more}`

describe.skipIf(why !== null)(`typed operations on other machines${why === null ? '' : ` (skipped: ${why})`}`, () => {
  let machines: SystemdMachines
  let web: SystemdMachine
  let db: SystemdMachine
  let missing: string | null = null
  beforeAll(async () => {
    const opened = await openSystemdMachines(['web-1', 'db-1'])
    if (typeof opened === 'string') return void (missing = opened)
    machines = opened
    web = machines.get('web-1')!
    db = machines.get('db-1')!
    for (const machine of [web, db]) {
      machine.put('/etc/systemd/system/toy.service', unit('exec sleep 100000'))
      machine.put('/etc/systemd/system/needs-toy.service', unit('exec sleep 100000', '[Unit]\nRequires=toy.service\n'))
      machine.put('/etc/systemd/system/dying.service', unit('sleep 1; echo no luck; exit 1'))
      machine.sh('systemctl daemon-reload; systemctl mask --quiet masked.service; mkdir -p /etc/full /etc/fixed')
      machine.sh(
        'mount -t tmpfs -o size=64k,mode=755 full /etc/full; mount -t tmpfs -o mode=755 fixed /etc/fixed; echo a >/etc/fixed/a; mount -o remount,ro /etc/fixed',
      )
    }
  }, LIMIT_MS)
  afterAll(() => machines?.[Symbol.asyncDispose]())
  beforeEach(({ skip }) => {
    if (missing !== null) skip(missing)
  })

  describe.each(databases)('on $name', (database) => {
    let stage: Stage
    let admin: TestClient
    const ids = new Map<string, string>()
    beforeAll(async () => {
      if (missing !== null) return
      stage = await openStage(database, { engine: false })
      admin = await stage.as('admin')
      const publicKey = (await admin.call(sshKeys)).items[0]!.public_key
      const script = setupScript(await readHelperFiles(), { publicKey, from: [], port: 22 })
      for (const machine of [web, db]) {
        machine.sh('cat >/root/setup.sh; sh /root/setup.sh >/dev/null 2>&1', script)
        const body = { name: machine.name, address: machine.address, tags: ['server'] }
        const { host_id } = (await admin.call(addHost, { body })).host
        const host_key = machine.read('/etc/ssh/ssh_host_ed25519_key.pub').trim()
        await admin.call(pinHost, { params: { host_id }, body: { host_key } })
        ids.set(machine.name, host_id)
      }
    }, LIMIT_MS)
    afterAll(async () => {
      for (const host_id of ids.values()) await admin.call(removeHost, { params: { host_id } })
      await stage?.[Symbol.asyncDispose]()
    })
    beforeEach(() => {
      for (const machine of [web, db]) {
        machine.sh('rm -rf /etc/toy; mkdir /etc/toy; systemctl start toy.service needs-toy.service nginx.service')
        machine.allow(
          'allow service toy.service dying.service nginx.service',
          'allow file /etc/toy /etc/nginx /etc/full /etc/fixed',
          'allow package install remove refresh hold',
          'allow user create lock unlock groups ungroup key unkey delete',
          'allow group games',
          'allow journal power command',
          'check /etc/nginx nginx -t -q',
        )
      }
    })
    afterEach(async () => {
      await admin.call(updateHost, { params: { host_id: ids.get('web-1')! }, body: { name: 'web-1' } })
    })

    const typed = (tool: string, input: object, host: string | null = 'web-1', client = admin) =>
      say(client, `/system.${tool} ${JSON.stringify({ ...input, ...(host !== null && { host }) })}`)
    async function asks(tool: string, input: object, host?: string, client = admin): Promise<Approval> {
      const result = await typed(tool, input, host, client)
      expect([result.answer, result.approvals.length]).toEqual([expect.anything(), 1])
      return result.approvals[0]!
    }
    async function refused(tool: string, input: object, host?: string): Promise<string> {
      const result = await typed(tool, input, host)
      expect(result).toMatchObject({ approvals: [], tool_calls_executed: [] })
      return result.answer
    }
    const approve = async (card: Approval, client = admin) =>
      (await decide(client, card.approval_id, 'approve')).result!
    const done = async (tool: string, input: object, host?: string) => approve(await asks(tool, input, host))
    const shown = (card: Approval) => card.preview!.parts.map(({ title, text }) => `${title}\n${text}`).join('\n')
    const newest = async () => (await admin.call(contract.chat.listChanges)).items[0]!
    async function undo(change_id?: string): Promise<Approval> {
      const id = change_id ?? (await newest()).change_id
      const { run_id } = await admin.call(contract.chat.undoChange, { params: { change_id: id } })
      const pending = async () =>
        (await admin.call(contract.chat.listApprovals, { query: { status: 'pending' } })).items.filter(
          (card) => card.run_id === run_id,
        )
      await until(async () => (await pending()).length > 0, { what: 'the card for taking it back' })
      return (await pending())[0]!
    }
    const state = (machine: SystemdMachine, name: string) => machine.sh(`systemctl is-active ${name} || :`).trim()
    const verified = [{ status: 'done', verified: { outcome: 'verified' } }]

    test('a service is changed on the machine that is named, and taken back there, whatever it is called by then', async () => {
      const card = await asks('service', { unit: 'toy.service', action: 'stop' })
      expect(card.targets).toMatchObject([{ name: 'web-1' }])
      expect(shown(card)).toContain('Now: active (running), static at boot\nThen: it does not run')
      expect(shown(card)).toContain('what runs and depends on it\nneeds-toy.service')
      expect(state(web, 'toy')).toBe('active')
      expect((await approve(card)).tool_calls_executed).toMatchObject(verified)
      expect([state(web, 'toy'), state(db, 'toy')]).toEqual(['inactive', 'active'])
      const change = await newest()
      expect(change).toMatchObject({ name: 'toy.service', host: 'web-1', state: 'undoable' })
      // Not on another machine, and not without its name.
      const { change_id } = change
      expect((await typed('undo', { change: change_id }, 'db-1')).answer).toContain('no such change of yours on "db-1"')
      expect((await typed('undo', { change: change_id }, null)).answer).toContain('name the machine')
      await admin.call(updateHost, { params: { host_id: ids.get('web-1')! }, body: { name: 'front-1' } })
      const back = await undo()
      expect(back.targets).toMatchObject([{ name: 'front-1' }])
      expect((await approve(back)).tool_calls_executed).toMatchObject([{ tool: 'undo', status: 'done' }])
      expect(state(web, 'toy')).toBe('active')
    })

    test('on several machines: one card, each proved, and each change taken back on its own', async () => {
      const card = await asks('service', { unit: 'nginx.service', action: 'stop' }, '#server')
      expect(shown(card)).toContain('db-1: nginx.service: stop\nNow: active (running), enabled at boot')
      expect(shown(card)).toContain('web-1: nginx.service: stop')
      expect((await approve(card)).tool_calls_executed).toMatchObject(verified)
      expect([state(web, 'nginx'), state(db, 'nginx')]).toEqual(['inactive', 'inactive'])
      const changes = (await admin.call(contract.chat.listChanges)).items.slice(0, 2)
      expect(changes.map(({ host }) => host).toSorted()).toEqual(['db-1', 'web-1'])
      await approve(await undo(changes.find(({ host }) => host === 'db-1')!.change_id))
      expect([state(web, 'nginx'), state(db, 'nginx')]).toEqual(['inactive', 'active'])
    })

    test('one that dies after a second is noticed with its last words, one that is masked is not put up for approval', async () => {
      const dying = await done('service', { unit: 'dying.service', action: 'start' })
      const [call] = dying.tool_calls_executed
      expect(call).toMatchObject({ status: 'done', verified: { outcome: 'did_not_take' } })
      expect(call!.verified!.found).toMatch(/^failed \(failed\).*It says: .*no luck/)
      expect(await refused('service', { unit: 'masked.service', action: 'start' })).toContain('is masked')
      expect(await refused('service', { unit: 'none.service', action: 'start' })).toContain('no unit none.service')
    })

    test('nginx says whether it can live with a file, or the file is as it was; a good one is taken back', async () => {
      const path = '/etc/nginx/conf.d/toy.conf'
      web.put(path, 'server_tokens off;\n')
      const bad = await done('file', { path, action: 'write', content: 'server_tokens maybe;\n' })
      expect(bad.answer).toContain('its check refused it, and it is as it was before')
      expect(bad.answer).toContain('invalid value "maybe"')
      expect(web.read(path)).toBe('server_tokens off;\n')
      const good = await asks('file', { path, action: 'write', content: 'server_tokens on;\n' })
      expect(shown(good)).toContain('-server_tokens off;\n+server_tokens on;')
      expect((await approve(good)).tool_calls_executed).toMatchObject(verified)
      await approve(await undo())
      expect(web.read(path)).toBe('server_tokens off;\n')
      await done('file', { path, action: 'delete' })
      expect(web.sh('ls /etc/nginx/conf.d')).toBe('')
      await approve(await undo())
      expect(web.read(path)).toBe('server_tokens off;\n')
    })

    test('what went wrong is told apart: disk full, read-only, another holds the lock, not readable, none there', async () => {
      const content = 'x'.repeat(80_000)
      expect((await done('file', { path: '/etc/full/a', action: 'create', content })).answer).toContain(
        'the disk is full',
      )
      expect(web.sh('ls -A /etc/full')).toBe('')
      expect((await done('file', { path: '/etc/fixed/a', action: 'write', content: 'b' })).answer).toContain(
        'the file system is read-only',
      )
      web.sh(
        `setsid perl -MFcntl -e 'open F, ">>/var/lib/dpkg/lock"; fcntl(F, F_SETLK, pack("s s x4 q q l x4", F_WRLCK, 0, 0, 0, 0)) or die; open P, ">/run/locked"; close P; sleep 1000' >/dev/null 2>&1 </dev/null & echo $! >/run/locker; until [ -e /run/locked ]; do :; done`,
      )
      expect((await done('package', { action: 'hold', names: ['sudo'] })).answer).toContain(
        'another program holds the lock',
      )
      web.sh('kill $(cat /run/locker); rm /run/locked')
      web.put('/etc/toy/secret', 's3cret\n', 0o600)
      const unreadable = await refused('file', { path: '/etc/toy/secret', action: 'write', content: 'x' })
      expect(unreadable).toContain('"reeve" may not read /etc/toy/secret')
      expect(unreadable).toContain('setfacl -m u:reeve:r /etc/toy/secret')
      expect(await refused('package', { action: 'install', names: ['no-such'] })).toContain('Unable to locate')
    })

    test('packages: what was shown is what is done, and what is new goes again', async () => {
      takePackagesFrom(web)
      publishToy(web, '1')
      expect((await done('package', { action: 'refresh' })).tool_calls_executed).toMatchObject([{ status: 'done' }])
      const card = await asks('package', { action: 'install', names: ['toy'] })
      expect(shown(card)).toMatch(/^1 new, 0 changed, 0 removed.*\n\+ toy 1/)
      expect((await approve(card)).tool_calls_executed).toMatchObject(verified)
      const status = () => web.sh("dpkg-query -W -f='${db:Status-Abbrev}' toy 2>/dev/null || :")
      expect(status()).toBe('ii ')
      await approve(await undo())
      expect(status()).not.toContain('ii')
    })

    test('accounts, the journal, and a restart that is called off again', async () => {
      web.sh('userdel -r toyuser >/dev/null 2>&1 || :')
      expect((await done('user', { name: 'toyuser', action: 'create' })).tool_calls_executed).toMatchObject(verified)
      expect(
        (await done('user', { name: 'toyuser', action: 'groups', groups: ['games'] })).tool_calls_executed,
      ).toMatchObject(verified)
      await approve(await undo())
      expect(web.sh('id -nG toyuser')).toBe('toyuser\n')
      expect((await done('journal_vacuum', { days: 3 })).tool_calls_executed).toMatchObject([{ status: 'done' }])
      const restart = await asks('power', { action: 'reboot', minutes: 600 })
      expect(shown(restart)).toContain('web-1: reboot\nreboot in 600 minutes\nScheduled now: nothing')
      expect((await approve(restart)).tool_calls_executed).toMatchObject(verified)
      expect(web.sh('ls /run/systemd/shutdown')).toBe('scheduled\n')
      await approve(await undo())
      expect(web.sh('ls /run/systemd/shutdown 2>/dev/null || :')).toBe('')
    })

    test('a connection that is lost in the middle: done once, and its end is told, then and later', async () => {
      web.sh('rm -f /root/once')
      const card = await asks('run_command_as_root', {
        script: 'echo once >>/root/once; until [ -e /run/go-on ]; do sleep 0.1; done; echo at last',
      })
      const ending = approve(card)
      await until(() => web.sh('cat /root/once 2>/dev/null || :') === 'once\n', { what: 'it runs' })
      web.sh('pkill -KILL -u reeve-op sshd; touch /run/go-on')
      const { tool_calls_executed, answer } = await ending
      expect(tool_calls_executed).toMatchObject([{ status: 'done' }])
      expect(answer).toContain('at last')
      expect(web.read('/root/once')).toBe('once\n')
      const [id] = web.sh('rm /run/go-on; ls -t /var/lib/reeve-op/jobs').split('\n')
      expect((await typed('operation', { id })).answer).toContain('Done.\nat last')
      expect((await typed('operation', { id: 'f'.repeat(32) })).answer).toContain('had not arrived')
    })

    test('a role that may have a service changed there sees what that would do, without further rules', async () => {
      const { client } = await stage.member('night', [
        { subject: 'tool:system.service', effect: 'ask', approvers: [] },
        { subject: 'tool:system.undo', effect: 'ask', approvers: [] },
        { subject: 'host:web-1', effect: 'allow' },
      ])
      const card = await asks('service', { unit: 'toy.service', action: 'restart' }, 'web-1', client)
      expect(shown(card)).toContain('Then: it runs with a new process')
      expect((await approve(card, client)).tool_calls_executed).toMatchObject(verified)
      expect((await typed('service', { unit: 'toy.service', action: 'stop' }, 'db-1', client)).approvals).toEqual([])
    })

    test('what only reads says how it is there', async () => {
      const read = async (tool: string, input: object = {}) => (await typed(tool, input)).answer
      expect(await read('timers')).toMatch(/[1-9]\d* timers/)
      expect(await read('services', { filter: 'nginx' })).toContain('1 match')
      expect(await read('packages', { filter: 'nginx-light' })).toContain('1 match')
      expect(await read('firewall')).toMatch(/nft/)
      expect(await read('certificates')).toMatch(/certificates/)
      expect(await read('disk_usage', { path: '/etc' })).toContain('/etc uses')
    })
  })
})
