import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Message } from '../contract/chat.ts'
import { contract } from '../contract/index.ts'
import { decide, partsOf } from './stage/chat-stage.ts'
import { setUpMachine } from './stage/hosts/set-up-machine.ts'
import { whyNoMachines } from './stage/machines/furnished-debian.ts'
import { openSystemdMachines, type SystemdMachine, type SystemdMachines } from './stage/machines/systemd-machines.ts'
import { openProceduresStage, type ProceduresStage, restingAnswer, runIt } from './stage/procedures/procedures-stage.ts'
import { databases } from './stage/servers/postgres.ts'

const LIMIT_MS = 600_000
const LIST = 'allow service toy.service certbot.service nginx.service\nallow journal\n'
/** Starts once what it misses is there. */
const TOY = '[Service]\nExecStart=/bin/sh -c "test -e /run/toy && exec sleep infinity"\n'
const RENEWAL = '[Service]\nType=oneshot\nExecStart=/bin/touch /run/renewed\n'
const SERVER = '[Service]\nExecStart=/bin/sleep infinity\nExecReload=/bin/touch /run/reloaded\n'

const scratch = mkdtempSync(join(tmpdir(), 'reeve-try-'))
const why = whyNoMachines(scratch)
rmSync(scratch, { recursive: true })

describe.skipIf(why !== null)(
  `the procedures that ship, on a machine with systemd and reeve-op${why === null ? '' : ` (skipped: ${why})`}`,
  () => {
    let machines: SystemdMachines | string
    let machine: SystemdMachine
    beforeAll(async () => {
      machines = await openSystemdMachines(['web-1'])
      if (typeof machines === 'string') return
      machine = machines.get('web-1')!
      machine.put('/etc/systemd/system/toy.service', TOY)
      machine.put('/etc/systemd/system/certbot.service', RENEWAL)
      machine.put('/etc/systemd/system/nginx.service', SERVER)
      machine.sh('systemctl daemon-reload; systemctl start nginx; systemctl start toy || :')
    }, LIMIT_MS)
    afterAll(async () => {
      if (typeof machines === 'object') await machines[Symbol.asyncDispose]()
    })

    describe.each(databases)('on $name', (database) => {
      let stage: ProceduresStage
      beforeAll(async () => {
        if (typeof machines === 'string') return
        stage = await openProceduresStage(database)
        await setUpMachine(stage.reviewer, machine)
        machine.put('/etc/reeve-op.conf', LIST)
      }, LIMIT_MS)
      afterAll(() => stage?.[Symbol.asyncDispose]())

      /** Runs an example as somebody who may use no tool of the machine; approves what asks. */
      async function carryOut(example: string, values: Record<string, string | number>): Promise<Message> {
        const made = await stage.author.call(contract.procedures.addExample, { body: { example } })
        expect(made.problems).toEqual([])
        const { procedure } = await stage.approve(await stage.submit(made))
        const rules = [`procedure:${procedure.procedure_id}`, 'host:#all'].map((subject) => ({
          subject,
          effect: 'allow' as const,
        }))
        const { client } = await stage.shift(`shift-${example}`, rules)
        const begun = await runIt(client, procedure.procedure_id, { machine: 'web-1', ...values })
        let { answer } = begun
        while (answer.status === 'waiting_approval') {
          const card = partsOf(answer, 'tool_call').find(({ approval }) => approval?.status === 'pending')!.approval!
          await decide(client, card.approval_id, 'approve')
          answer = await restingAnswer(client, begun.conversation_id)
        }
        return answer
      }
      const statuses = (answer: Message) =>
        partsOf(answer, 'tool_call').map(({ tool_call }) => [tool_call.tool, tool_call.status])

      test('disk full: what fills it is shown, and old log entries go', { timeout: LIMIT_MS }, async ({ skip }) => {
        if (typeof machines === 'string') return skip(machines)
        const answer = await carryOut('disk-full', { folder: '/var', keep: 100 })
        expect(statuses(answer)).toEqual([
          ['disks', 'done'],
          ['disk_usage', 'done'],
          ['journal_vacuum', 'done'],
          ['disks', 'done'],
        ])
      })

      test('service does not start: once its cause is gone, it runs again', { timeout: LIMIT_MS }, async ({ skip }) => {
        if (typeof machines === 'string') return skip(machines)
        machine.sh('systemctl stop toy; systemctl reset-failed toy || :; touch /run/toy')
        const answer = await carryOut('service-does-not-start', { unit: 'toy.service' })
        expect(statuses(answer).map(([, status]) => status)).toEqual(Array.from({ length: 6 }, () => 'done'))
        expect(machine.sh('systemctl is-active toy || :').trim()).toBe('active')
      })

      test('certificate expires: it is renewed, and the server reads it', { timeout: LIMIT_MS }, async ({ skip }) => {
        if (typeof machines === 'string') return skip(machines)
        machine.sh('rm -f /run/renewed /run/reloaded')
        const answer = await carryOut('certificate-expires', { renewal: 'certbot.service', server: 'nginx.service' })
        expect(statuses(answer).map(([, status]) => status)).toEqual(Array.from({ length: 5 }, () => 'done'))
        expect(machine.sh('ls /run/renewed /run/reloaded').trim().split('\n')).toHaveLength(2)
      })
    })
  },
)
