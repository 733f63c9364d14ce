import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Approval } from '../contract/chat.ts'
import { contract } from '../contract/index.ts'
import { decide, openStage, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { setUpMachine } from './stage/hosts/set-up-machine.ts'
import { whyNoMachines } from './stage/machines/furnished-debian.ts'
import { openSystemdMachines, type SystemdMachine, type SystemdMachines } from './stage/machines/systemd-machines.ts'
import { publishToy, takePackagesFrom } from './stage/machines/toy-packages.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const LIMIT_MS = 600_000
const LIST = `allow service toy.service dying.service
allow file /etc/toy
allow package install upgrade remove
allow user create lock groups
allow group games
allow journal power`
const DYING = '[Service]\nExecStart=/bin/sh -c "sleep 1; exit 3"\n'
const TOY = '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n'

const scratch = mkdtempSync(join(tmpdir(), 'reeve-try-'))
const why = whyNoMachines(scratch)
rmSync(scratch, { recursive: true })

describe.skipIf(why !== null)(
  `operations on another machine, with its own systemd, sshd and apt${why === null ? '' : ` (skipped: ${why})`}`,
  () => {
    let machines: SystemdMachines | string
    let machine: SystemdMachine
    beforeAll(async () => {
      machines = await openSystemdMachines(['web-1'])
      if (typeof machines === 'string') return
      machine = machines.get('web-1')!
      machine.put('/etc/systemd/system/toy.service', TOY)
      machine.put('/etc/systemd/system/dying.service', DYING)
      machine.sh('systemctl daemon-reload; systemctl start toy; mkdir /etc/toy')
      takePackagesFrom(machine)
    }, LIMIT_MS)
    afterAll(async () => {
      if (typeof machines === 'object') await machines[Symbol.asyncDispose]()
    })

    describe.each(databases)('on $name', (database) => {
      let stage: Stage
      let admin: TestClient
      beforeAll(async () => {
        if (typeof machines === 'string') return
        stage = await openStage(database, { engine: false })
        admin = await stage.as('admin')
        await setUpMachine(admin, machine)
        machine.put('/etc/reeve-op.conf', `${LIST}\n`)
      })
      afterAll(() => stage?.[Symbol.asyncDispose]())

      /** The card that a call gets. */
      async function asks(tool: string, input: object): Promise<Approval> {
        const result = await say(admin, `/system.${tool} ${JSON.stringify({ host: 'web-1', ...input })}`)
        expect([result.answer, result.approvals.length]).toEqual([expect.anything(), 1])
        return result.approvals[0]!
      }
      const approve = async (card: Approval) => (await decide(admin, card.approval_id, 'approve')).result!
      const shown = (card: Approval) => card.preview!.parts.map(({ title, text }) => `${title}\n${text}`).join('\n')
      const newest = async () => (await admin.call(contract.chat.listChanges)).items[0]!
      /** The card for taking the newest change back. */
      async function undo(): Promise<Approval> {
        const { change_id } = await newest()
        const { run_id } = await admin.call(contract.chat.undoChange, { params: { change_id } })
        return until(
          async () =>
            (await admin.call(contract.chat.listApprovals, { query: { status: 'pending' } })).items.find(
              (card) => card.run_id === run_id,
            ),
          { what: 'the card for taking it back' },
        )
      }
      const VERIFIED = [{ status: 'done', verified: { outcome: 'verified' } }]
      const active = (unit: string) => machine.sh(`systemctl is-active ${unit} || :`).trim()

      test('looking beforehand changes nothing, and what was approved is what is done', async ({ skip }) => {
        if (typeof machines === 'string') return skip(machines)
        const path = '/etc/toy/app.conf'
        machine.put(path, 'port 1\n', 0o640)
        machine.sh(`chown root:adm ${path}`)
        const look = () =>
          machine.sh(`cat ${path}; stat -c '%a %U:%G %i' ${path}; find /etc /usr /var/lib -newer /etc/toy/app.conf -type f`)
        const before = look()
        const cards = [
          await asks('file', { path, action: 'write', content: 'port 2\n' }),
          await asks('service', { unit: 'toy.service', action: 'stop' }),
          await asks('power', { action: 'reboot', minutes: 10 }),
          await asks('user', { name: 'toy-user', action: 'create' }),
          await asks('journal_vacuum', { megabytes: 100 }),
        ]
        expect(shown(cards[0]!)).toContain('-port 1\n+port 2')
        expect(look()).toBe(before)
        expect(active('toy')).toBe('active')
        expect((await approve(cards[0]!)).tool_calls_executed).toMatchObject(VERIFIED)
        expect(machine.sh(`cat ${path}; stat -c '%a %U:%G' ${path}`)).toBe('port 2\n640 root:adm\n')
        for (const card of cards.slice(1)) await decide(admin, card.approval_id, 'deny')
      })

      test('taking back gives bytes, mode and owner again, and leaves alone what others have changed since', async ({
        skip,
      }) => {
        if (typeof machines === 'string') return skip(machines)
        const path = '/etc/toy/whole.conf'
        machine.put(path, 'one\n', 0o640)
        machine.sh(`chown root:adm ${path}`)
        const look = () => machine.sh(`cat ${path}; stat -c '%a %U:%G' ${path}`)
        const before = look()
        await approve(await asks('file', { path, action: 'delete' }))
        expect(machine.sh('ls /etc/toy')).not.toContain('whole')
        await approve(await undo())
        expect(look()).toBe(before)
        await approve(await asks('file', { path, action: 'write', content: 'two\n' }))
        machine.put(path, 'theirs\n')
        const { change_id } = await newest()
        const refused = await say(admin, `/system.undo ${JSON.stringify({ change: change_id, host: 'web-1' })}`)
        expect([refused.approvals, refused.answer]).toEqual([[], expect.stringContaining('was changed since')])
        expect(machine.read(path)).toBe('theirs\n')
      })

      test('a service is stopped, seen to be, and started again; one that dies after a second is noticed', async ({
        skip,
      }) => {
        if (typeof machines === 'string') return skip(machines)
        expect((await approve(await asks('service', { unit: 'toy.service', action: 'stop' }))).tool_calls_executed)
          .toMatchObject(VERIFIED)
        expect(active('toy')).toBe('inactive')
        await approve(await undo())
        expect(active('toy')).toBe('active')
        const done = await approve(await asks('service', { unit: 'dying.service', action: 'start' }))
        expect(done.tool_calls_executed).toMatchObject([
          { status: 'done', verified: { outcome: 'did_not_take', found: expect.stringMatching(/^failed/) as string } },
        ])
        machine.sh('systemctl reset-failed dying')
      })

      test('a plan that has become another one is not carried out', async ({ skip }) => {
        if (typeof machines === 'string') return skip(machines)
        publishToy(machine, '1.0')
        machine.sh('apt-get update -q')
        const version = () => machine.sh("dpkg-query -W -f='${db:Status-Abbrev}${Version}' toy 2>/dev/null || :")
        const card = await asks('package', { action: 'install', names: ['toy'] })
        publishToy(machine, '1.1')
        machine.sh('apt-get update -q')
        // Another card, with what would be done now.
        const again = (await approve(card)).approvals[0]!
        expect(shown(again)).toContain('1.1')
        expect(version()).toBe('')
        expect((await approve(again)).tool_calls_executed).toMatchObject(VERIFIED)
        expect(version()).toBe('ii 1.1')
        await approve(await undo())
        expect(version()).not.toContain('ii')
        machine.sh('dpkg --purge toy; rm /srv/repo/*')
      })

      test('a restart is scheduled and called off, an account is made, and the journal is made smaller', async ({
        skip,
      }) => {
        if (typeof machines === 'string') return skip(machines)
        expect((await approve(await asks('power', { action: 'reboot', minutes: 10 }))).tool_calls_executed)
          .toMatchObject(VERIFIED)
        expect(machine.read('/run/systemd/shutdown/scheduled')).toContain('MODE=reboot')
        await approve(await undo())
        expect(machine.sh('ls /run/systemd/shutdown 2>/dev/null || :')).toBe('')
        expect((await approve(await asks('user', { name: 'toy-user', action: 'create' }))).tool_calls_executed)
          .toMatchObject(VERIFIED)
        expect(machine.sh('id -un toy-user; userdel -r toy-user 2>/dev/null')).toBe('toy-user\n')
        expect((await approve(await asks('journal_vacuum', { megabytes: 100 }))).tool_calls_executed)
          .toMatchObject(VERIFIED)
      })

      test('what root’s list does not allow is refused there, and the machine’s own journal says what was done', async ({
        skip,
      }) => {
        if (typeof machines === 'string') return skip(machines)
        const refused = await approve(await asks('service', { unit: 'nginx.service', action: 'stop' }))
        expect(refused.answer).toContain('No line of /etc/reeve-op.conf allows service nginx.service')
        expect(active('nginx')).toBe('active')
        expect(machine.sh('journalctl -t reeve-op -o cat')).toMatch(/file action write path \/etc\/toy\/app\.conf .*: ok/)
      })
    })
  },
)
