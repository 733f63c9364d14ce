import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { decide, lastAnswer, partsOf, say } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { openSetUpMachine, type SetUpMachine, whyNoSetUpMachine } from './stage/machines/set-up-machine.ts'
import { startProcess, type TestProcess } from './stage/process.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { addHost, pinHost, sshKeys } = contract.hosts
const why = whyNoSetUpMachine()

describe.skipIf(why !== null).each(databases)(
  `calls on machines whose Reeve is killed, on $name${why === null ? '' : ` (skipped: ${why})`}`,
  (database) => {
    let reeve: TestProcess
    let machine: SetUpMachine
    let admin: TestClient
    const NAMES = ['m-1', 'm-2', 'm-3', 'm-4', 'm-5', 'm-6']
    beforeAll(async () => {
      reeve = await startProcess({ database })
      admin = await reeve.as('admin')
      const { items } = await admin.call(sshKeys)
      machine = await openSetUpMachine(items[0]!.public_key)
      const { address, port, account, host_key } = machine.target
      for (const name of NAMES) {
        const { host } = await admin.call(addHost, { body: { name, address, port, account, tags: ['m'] } })
        const body = { host_key: `ssh-ed25519 ${host_key}` }
        await admin.call(pinHost, { params: { host_id: host.host_id }, body })
      }
    }, 120_000)
    afterAll(async () => {
      await reeve?.[Symbol.asyncDispose]()
      await machine?.[Symbol.asyncDispose]()
    })
    beforeEach(() => void machine.sh('rm -f /root/count /root/go /tmp/count'))

    /** Approves a call, kills Reeve when it has begun, and starts another one. Gives what reads the call from then on. */
    async function killedIn(tool: string, input: object, begun: () => boolean) {
      const asked = await say(admin, `/${tool} ${JSON.stringify(input)}`)
      const decided = decide(admin, asked.approvals[0]!.approval_id, 'approve').catch(() => null)
      await until(begun, { what: 'it has begun' })
      await reeve.kill()
      await decided
      machine.sh('touch /root/go')
      await reeve.restart()
      return async () => partsOf(await lastAnswer(admin, asked.conversation_id), 'tool_call')[0]!.tool_call
    }

    test('an operation is done once, and the call says later how it ended', async () => {
      const script = 'echo x >>/root/count; until [ -e /root/go ]; do sleep 0.1; done; echo over'
      const begun = () => machine.sh('ls /root').includes('count')
      const call = await killedIn('system.run_command_as_root', { script, host: 'm-1' }, begun)
      const { tool_call_id } = await until(
        async () => {
          const now = await call()
          return now.status === 'done' && now
        },
        { what: 'the machine was asked' },
      )
      expect((await call()).result_preview).toMatch(/Asked later, “m-1” says that it was done\.\nover/)
      expect(machine.sh('cat /root/count')).toBe('x\n')
      const { items } = await admin.call(contract.accounts.audit, { query: { q: tool_call_id, limit: 10 } })
      expect(items.map(({ action, details }) => [action, details.status])).toEqual([
        ['tool.settled', 'done'],
        ['tool.called', 'unknown'],
      ])
    })

    test('no machine of many is done twice; where nobody knows, and where it never began, is told', async () => {
      const command = 'echo x >>/tmp/count; [ "$(wc -l </tmp/count)" -lt 2 ] || exec sleep 600'
      const lines = () => machine.sh('cat /tmp/count 2>&1 || true').split('\n').length - 1
      const call = await killedIn('system.run_command', { command, shell: true, host: '#m' }, () => lines() === 5)
      const { status, result_preview } = await until(
        async () => {
          const now = await call()
          return now.status !== 'running' && now
        },
        { what: 'the call has ended' },
      )
      expect(status).toBe('unknown')
      expect(result_preview).toContain('How it ended is not known on: m-2, m-3, m-4, m-5.')
      expect(result_preview).toContain('It had ended on: m-1.')
      expect(result_preview).toContain('It never began on the others (1).')
      expect(lines()).toBe(5)
    })
  },
)
