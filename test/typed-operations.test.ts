import { describe, beforeAll, afterAll, beforeEach, expect, test } from 'vitest'
import { systemModule } from '../builtin/system/module.ts'
import { contract } from '../contract/index.ts'
import type { Approval } from '../contract/chat.ts'
import { decide, type Member, openStage, say, type Stage } from './stage/chat-stage.ts'
import { whyNoDebian } from './stage/machines/debian-root.ts'
import { insideMachine } from './stage/machines/inside-machine.ts'
import { FEDORA } from './stage/machines/fedora.ts'
import { publishToy, takePackagesFrom } from './stage/machines/toy-packages.ts'
import { putJournal, putSystemd } from './stage/machines/toy-systemd.ts'
import { stageReeveOp } from './stage/machines/reeve-op-stage.ts'
import type { RootMachine } from './stage/machines/root-machine.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const FACTS = { ...FEDORA.facts, package_manager: 'apt' as const, init: 'systemd' as const }
const UNITS = {
  'toy.service': { state: 'active', pid: '42', boot: 'enabled', needed: 'web.service\nidle.service' },
  'web.service': { state: 'active', pid: '43' },
  'idle.service': { state: 'inactive' },
  'dying.service': { state: 'inactive', dying: '' },
  'masked.service': { load: 'masked' },
}

const why = whyNoDebian()
describe.skipIf(why !== null)(
  `typed operations on a Debian of its own${why === null ? '' : ` (skipped: ${why})`}`,
  () => {
    let machine: RootMachine
    stageReeveOp((opened) => (machine = opened))

    describe.each(databases)('on $name', (database) => {
      let stage: Stage
      let member: Member
      let helper: boolean
      beforeAll(async () => {
        const get = (id: string) =>
          Promise.resolve(id === 'local' ? insideMachine(machine, FACTS, helper ? machine.socket : null) : null)
        stage = await openStage(database, { engine: false, builtins: [systemModule({ get })] })
        member = await stage.member('operator', [{ subject: 'tool:system.*', effect: 'ask', approvers: [] }])
      })
      afterAll(() => stage?.[Symbol.asyncDispose]())
      beforeEach(async () => {
        helper = true
        machine.sh('rm -rf /srv/units /etc/toy && mkdir /etc/toy')
        await putSystemd(machine, UNITS)
        await machine.allow(
          'allow service toy.service dying.service',
          'allow file /etc/toy',
          'allow package install upgrade remove refresh hold unhold',
          'allow user create lock unlock groups ungroup key unkey delete',
          'allow group games',
          'check /etc/toy/checked.conf /bin/grep -q good /etc/toy/checked.conf',
        )
      })

      /** The card that a call gets. */
      async function asks(tool: string, input: object): Promise<Approval> {
        const result = await say(member.client, `/system.${tool} ${JSON.stringify(input)}`)
        expect([result.answer, result.approvals.length]).toEqual([expect.anything(), 1])
        return result.approvals[0]!
      }
      /** What is said instead of a card. */
      async function refused(tool: string, input: object): Promise<string> {
        const result = await say(member.client, `/system.${tool} ${JSON.stringify(input)}`)
        expect(result).toMatchObject({ approvals: [], tool_calls_executed: [] })
        return result.answer
      }
      async function approve(card: Approval) {
        return (await decide(member.client, card.approval_id, 'approve')).result!
      }
      const shown = (card: Approval) => card.preview!.parts.map(({ title, text }) => `${title}\n${text}`).join('\n')
      const newest = async () => (await member.client.call(contract.chat.listChanges)).items[0]!
      /** The card for taking the newest change back. */
      async function undo(): Promise<Approval> {
        const { change_id } = await newest()
        const { run_id } = await member.client.call(contract.chat.undoChange, { params: { change_id } })
        const pending = async () =>
          (await member.client.call(contract.chat.listApprovals, { query: { status: 'pending' } })).items.filter(
            (card) => card.run_id === run_id,
          )
        await until(async () => (await pending()).length > 0, { what: 'the card for taking it back' })
        return (await pending())[0]!
      }
      const state = (unit: string) => machine.read(`srv/units/${unit}/state`).trim()

      test('a service: the card says what depends on it, nothing happens before, and it is taken back', async () => {
        const card = await asks('service', { unit: 'toy.service', action: 'stop' })
        expect(shown(card)).toBe(
          'toy.service: stop\nNow: active (active), enabled at boot\nThen: it does not run\ntoy.service: what runs and depends on it\nweb.service',
        )
        expect(state('toy.service')).toBe('active')
        const done = await approve(card)
        expect(done.tool_calls_executed).toMatchObject([{ status: 'done', verified: { outcome: 'verified' } }])
        expect(state('toy.service')).toBe('inactive')
        expect(await newest()).toMatchObject({ name: 'toy.service', state: 'undoable', may_undo: true })
        expect((await approve(await undo())).tool_calls_executed).toMatchObject([{ tool: 'undo', status: 'done' }])
        expect(state('toy.service')).toBe('active')
        expect(await newest()).toMatchObject({ is_undo: true, state: 'final' })
      })

      test('a service that dies after a second is noticed', async () => {
        const done = await approve(await asks('service', { unit: 'dying.service', action: 'start' }))
        expect(done.tool_calls_executed).toMatchObject([
          { status: 'done', verified: { outcome: 'did_not_take', found: expect.stringMatching(/^failed/) as string } },
        ])
      })

      test('what cannot be shown is not put up for approval, and the reason is said', async () => {
        expect(await refused('service', { unit: 'none.service', action: 'start' })).toContain(
          'There is no unit none.service',
        )
        expect(await refused('service', { unit: 'masked.service', action: 'start' })).toContain('is masked')
        expect(await refused('file', { path: '/etc/toy/none', action: 'delete' })).toContain('There is no file')
        expect(await refused('file', { path: '/etc/shadow', action: 'delete' })).toContain('may not read /etc/shadow')
        expect(await refused('file', { path: '/etc/toy', action: 'delete' })).toContain('not a plain file')
        expect(await refused('file', { path: '/etc/../etc/x', action: 'create', content: '' })).toContain('..')
        expect(await refused('package', { action: 'install', names: ['no-such-package'] })).toContain(
          'Unable to locate',
        )
        expect(await refused('package', { action: 'install', names: ['toy-'] })).toContain('do not fit')
        expect(await refused('user', { name: 'nobody-here', action: 'lock' })).toContain('There is no account')
        expect(await refused('undo', { change: 'chg_0' })).toContain('no such change')
      })

      test('without the helper it says so, and nothing is run', async () => {
        const card = await asks('service', { unit: 'toy.service', action: 'stop' })
        helper = false
        const done = await approve(card)
        expect(done.tool_calls_executed).toMatchObject([{ status: 'failed' }])
        expect(done.answer).toContain('helper_missing')
        expect(done.answer).toContain('reeve helper install')
        expect(state('toy.service')).toBe('active')
      })

      test('what the list of the machine does not allow is refused in its own words', async () => {
        const done = await approve(await asks('service', { unit: 'web.service', action: 'stop' }))
        expect(done.tool_calls_executed).toMatchObject([{ status: 'failed' }])
        expect(done.answer).toContain('No line of /etc/reeve-op.conf allows service web.service')
        expect((await approve(await asks('power', { action: 'reboot' }))).answer).toContain('allows power.')
        expect((await approve(await asks('run_command_as_root', { script: 'id' }))).answer).toContain('allows command.')
      })

      test('a file: written, given another mode, deleted, and each of it taken back', async () => {
        const path = '/etc/toy/app.conf'
        await machine.put(path, '# Ansible managed\nport 1\n', 0o640)
        machine.sh(`chown root:games ${path} && chmod 644 ${path}`)
        const card = await asks('file', { path, action: 'write', content: '# Ansible managed\nport 2\n' })
        expect(card.preview!.parts[0]).toMatchObject({
          kind: 'diff',
          text: '@@ -1,2 +1,2 @@\n # Ansible managed\n-port 1\n+port 2',
        })
        expect(shown(card)).toContain('mode 644, owner root:games')
        expect(shown(card)).toContain('It says: # Ansible managed')
        expect(machine.read(path)).toContain('port 1')
        expect((await approve(card)).tool_calls_executed).toMatchObject([
          { status: 'done', verified: { outcome: 'verified' } },
        ])
        const look = () => `${machine.read(path)}${machine.sh(`stat -c '%a %U:%G' ${path}`)}`
        expect(look()).toBe('# Ansible managed\nport 2\n644 root:games\n')
        await approve(await undo())
        expect(look()).toBe('# Ansible managed\nport 1\n644 root:games\n')

        expect(
          (await approve(await asks('file', { path, action: 'mode', mode: '664' }))).tool_calls_executed,
        ).toMatchObject([{ verified: { outcome: 'verified', found: '664' } }])
        await approve(await undo())
        expect(look()).toContain('644 root:games')

        await approve(await asks('file', { path, action: 'delete' }))
        expect(machine.sh('ls /etc/toy')).toBe('')
        await approve(await undo())
        expect(look()).toBe('# Ansible managed\nport 1\n644 root:games\n')
      })

      test('a file that somebody else has changed since is left as it is', async () => {
        const path = '/etc/toy/raced.conf'
        await machine.put(path, 'one\n')
        const card = await asks('file', { path, action: 'write', content: 'two\n' })
        await machine.put(path, 'theirs\n')
        // Another card, with what would change now.
        const { approvals } = await approve(card)
        expect(approvals[0]!.preview!.parts[0]!.text).toBe('@@ -1,1 +1,1 @@\n-theirs\n+two')
        expect(machine.read(path)).toBe('theirs\n')
        await approve(approvals[0]!)
        await machine.put(path, 'theirs again\n')
        const { change_id } = await newest()
        const undone = await say(member.client, `/system.undo ${JSON.stringify({ change: change_id })}`)
        expect(undone).toMatchObject({ approvals: [] })
        expect(undone.answer).toContain('was changed since')
        expect(machine.read(path)).toBe('theirs again\n')
      })

      test('a restart is scheduled, seen, and called off', async () => {
        await machine.allow('allow power')
        // As systemd's: it writes down what is scheduled.
        const scheduled = '/run/systemd/shutdown/scheduled'
        await machine.put(
          '/usr/sbin/shutdown',
          `#!/bin/sh\numask 022\nrm -f ${scheduled}\n[ "$1" = -c ] || printf 'USEC=4102444800000000\\nWARN_WALL=1\\nMODE=reboot\\n' >${scheduled}\n`,
          0o755,
        )
        machine.sh(`mkdir -p /run/systemd/shutdown && rm -f ${scheduled}`)
        expect(await refused('power', { action: 'cancel' })).toContain('Nothing is scheduled')
        const card = await asks('power', { action: 'reboot', minutes: 5 })
        expect(shown(card)).toContain('local: reboot\nreboot in 5 minutes\nScheduled now: nothing')
        expect((await approve(card)).tool_calls_executed).toMatchObject([
          { status: 'done', verified: { outcome: 'verified', found: 'reboot 2100-01-01T00:00:00.000Z' } },
        ])
        const back = await undo()
        expect(shown(back)).toContain('Called off: reboot 2100')
        await approve(back)
        expect(machine.sh('ls /run/systemd/shutdown')).toBe('')
      })

      test('old log entries are removed as far as was shown, and nothing takes that back', async () => {
        await machine.allow('allow journal')
        await putJournal(machine)
        await machine.put('/srv/journal', '1.0G\n')
        expect(await refused('journal_vacuum', {})).toContain('either')
        const card = await asks('journal_vacuum', { megabytes: 100 })
        expect(shown(card)).toContain('take up 1.0G')
        expect(shown(card)).toContain('Oldest entry: 2024-11-19 07:06:40')
        const done = await approve(card)
        expect(done.tool_calls_executed).toMatchObject([{ status: 'done', verified: { outcome: 'verified' } }])
        expect(await newest()).toMatchObject({ name: 'Journal', state: 'final', may_undo: false })
      })

      test('a command as root, where a line allows it', async () => {
        await machine.allow('allow command')
        const card = await asks('run_command_as_root', { script: 'id -u; exit 3' })
        expect(card.preview).toBeUndefined()
        const done = await approve(card)
        expect(done.tool_calls_executed).toMatchObject([{ status: 'failed' }])
        expect(done.answer).toContain('It failed with exit code 3.\n0')
      })

      test('packages, folders and firewall are read without asking anybody', async () => {
        const reader = await stage.member('reader', [{ subject: 'tool:system.*', effect: 'allow' }])
        const read = async (tool: string, input: object) =>
          (await say(reader.client, `/system.${tool} ${JSON.stringify(input)}`)).answer
        expect(await read('packages', { filter: 'dpkg' })).toMatch(/\d+ packages are installed, 1 match/)
        expect(await read('packages', { show: 'upgradable', filter: 'none' })).toContain('0 of them match')
        machine.sh('mkdir -p /srv/usage/deep && head -c 100000 /dev/zero > /srv/usage/deep/file')
        expect(await read('disk_usage', { path: '/srv/usage' })).toMatch(/uses 0 MiB, 1 folders in it/)
        expect(await read('disk_usage', { path: '/srv/nothing' })).toContain('cannot be looked into')
        expect(await read('firewall', {})).toContain('nft')
        expect(await read('timers', {})).toContain('timers, ')
        expect(await read('certificates', { paths: ['/srv/usage'] })).toContain('0 certificates')
      })

      test('a file that its check refuses is as it was', async () => {
        const path = '/etc/toy/checked.conf'
        await machine.put(path, 'good\n')
        const done = await approve(await asks('file', { path, action: 'write', content: 'bad\n' }))
        expect(done.tool_calls_executed).toMatchObject([{ status: 'failed' }])
        expect(done.answer).toContain('its check refused it')
        expect(machine.read(path)).toBe('good\n')
      })

      test('a package: what is simulated is what is done, another plan is not, and what is new goes again', async () => {
        takePackagesFrom(machine)
        const version = () => machine.sh("dpkg-query -W -f='${db:Status-Abbrev}${Version}' toy 2>/dev/null || :")
        publishToy(machine, '1')
        expect((await approve(await asks('package', { action: 'refresh' }))).tool_calls_executed).toMatchObject([
          { status: 'done' },
        ])
        const card = await asks('package', { action: 'install', names: ['toy'] })
        expect(shown(card)).toMatch(/^1 new, 0 changed, 0 removed, 0\.0 MiB to fetch\n\+ toy 1/)
        expect(version()).toBe('')
        publishToy(machine, '2')
        machine.sh('apt-get update >/dev/null 2>&1')
        const { approvals } = await approve(card)
        expect(version()).toBe('')
        expect(shown(approvals[0]!)).toContain('+ toy 2')
        expect((await approve(approvals[0]!)).tool_calls_executed).toMatchObject([
          { status: 'done', verified: { outcome: 'verified' } },
        ])
        expect(version()).toBe('ii 2')
        expect(await newest()).toMatchObject({ name: 'install toy', state: 'undoable' })
        const back = await undo()
        expect(shown(back)).toContain('- toy 2')
        await approve(back)
        expect(version()).not.toContain('ii')
      })

      test('an account: made, put into a group, and taken out of it again', async () => {
        machine.sh('userdel -r toyuser >/dev/null 2>&1 || :')
        await approve(await asks('user', { name: 'toyuser', action: 'create' }))
        const done = await approve(await asks('user', { name: 'toyuser', action: 'groups', groups: ['games'] }))
        expect(done.tool_calls_executed).toMatchObject([{ verified: { outcome: 'verified' } }])
        expect(machine.sh('id -nG toyuser')).toContain('games')
        await approve(await undo())
        expect(machine.sh('id -nG toyuser')).not.toContain('games')
        const root = await approve(await asks('user', { name: 'root', action: 'lock' }))
        expect(root.answer).toContain('reeve-op never changes the account root')
      })
    })
  },
)
