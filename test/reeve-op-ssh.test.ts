import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { LIMITS } from '../server/hosts/ssh/target.ts'
import type { Operation, OperationOutcome } from '../server/modules/machine-operation.ts'
import { connectionsWith, never } from './stage/hosts/ssh-stage.ts'
import { newId } from './stage/machines/reeve-op-stage.ts'
import { openSetUpMachine, type SetUpMachine, whyNoSetUpMachine } from './stage/machines/set-up-machine.ts'
import { signInKey } from './stage/servers/ssh-server.ts'
import { until } from './stage/wait.ts'

const why = whyNoSetUpMachine()
describe.skipIf(why !== null)(`reeve-op over SSH${why === null ? '' : ` (skipped: ${why})`}`, () => {
  let machine: SetUpMachine
  beforeAll(async () => {
    machine = await openSetUpMachine()
  }, 60_000)
  afterAll(() => machine?.[Symbol.asyncDispose]())

  const command = (script: string): Operation => ({ op: 'command', script, deadline_s: 60 })
  const options = (op_id: string) => ({ op_id, deadline_ms: 60_000 })

  describe('an operation', () => {
    /** Waits until it may end. */
    const WAITS = 'echo x >>/root/count; until [ -e /root/go ]; do sleep 0.1; done; echo over; exit 3'
    const ENDED: OperationOutcome = { kind: 'ended', exit_code: 3, text: 'over' }
    beforeEach(() => void machine.sh('rm -f /root/count /root/go'))
    const begun = () => until(() => machine.sh('ls /root').includes('count'), { what: 'the operation has begun' })

    test.each(['KILL', 'STOP'] as const)(
      'whose connection gets a SIG%s is done once, and its end is told',
      async (name) => {
        await using connections = connectionsWith({ keepalive: 200 })
        const op_id = newId()
        const before = machine.signIns()
        const outcome = connections.machineOf(machine.target).operate(command(WAITS), options(op_id), never)
        await begun()
        machine.signal(name, 'reeve-op')
        await until(() => machine.signIns() === before + 2, { what: 'it is asked for over another connection' })
        machine.sh('touch /root/go')
        expect(await outcome).toEqual(ENDED)
        machine.signal('KILL', 'reeve-op')
        expect(machine.sh('cat /root/count')).toBe('x\n')
      },
    )

    test('that outlives Reeve is done once, and the next Reeve is told its end', async () => {
      const op_id = newId()
      const modules = new URL('../server/hosts/ssh/connections.ts', import.meta.url).href
      const program = `
        const { openConnections } = await import(${JSON.stringify(modules)})
        const machine = openConnections({ keys: async () => [process.env.KEY] }).machineOf(${JSON.stringify(machine.target)})
        await machine.operate(${JSON.stringify(command(WAITS))}, ${JSON.stringify(options(op_id))}, new AbortController().signal)`
      const reeve = spawn(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program],
        { env: { ...process.env, KEY: signInKey.private_key }, stdio: 'ignore' },
      )
      await begun()
      const gone = new Promise((done) => reeve.once('exit', done))
      reeve.kill('SIGKILL')
      await gone
      await using connections = connectionsWith()
      const status = connections.machineOf(machine.target).operationStatus(options(op_id), never)
      machine.sh('touch /root/go')
      expect(await status).toEqual(ENDED)
      expect(machine.sh('cat /root/count')).toBe('x\n')
    })

    test('is asked for again within 40 s of silence', () => {
      expect(LIMITS.keepalive * (LIMITS.keepalive_count + 1)).toBeLessThanOrEqual(40_000)
    })
  })

  describe('sudo that', () => {
    const RULE = 'reeve-op ALL=(root:root) NOPASSWD: /usr/local/libexec/reeve-op ""'
    const rule = (...lines: string[]) =>
      machine.sh(`cat >/etc/sudoers.d/reeve-op <<'X'\n${lines.join('\n')}\nX\nvisudo -cq`)
    const PROGRAM = '/usr/bin/sudo'
    const GERMAN = `#!/bin/sh\\necho "sudo: Ein Passwort ist notwendig" >&2\\nexit 1\\n`
    const away = () => machine.sh(`mv ${PROGRAM} ${PROGRAM}.away`)

    /** What is done to the machine → what is told. */
    const DEEDS: Record<string, [() => unknown, RegExp]> = {
      'is not there': [away, /sudo/],
      'has no rule for it': [() => rule('# nothing'), /sudo/],
      'refuses it': [() => rule('reeve-op ALL=(root:root) !ALL'), /sudo/],
      'asks for a password': [() => rule(RULE.replace('NOPASSWD', 'PASSWD')), /a password is required/],
      'asks for it in German': [
        () => {
          away()
          machine.sh(`printf '${GERMAN}' >${PROGRAM}; chmod 4755 ${PROGRAM}`)
        },
        /Ein Passwort ist notwendig/,
      ],
      'wants a terminal': [() => rule('Defaults:reeve-op requiretty', RULE), /tty/],
    }
    const missing = async (target: SetUpMachine['target'], said: RegExp) => {
      await using connections = connectionsWith()
      const op_id = newId()
      const outcome = await connections.machineOf(target).operate(command('touch /root/ran'), options(op_id), never)
      expect(outcome).toEqual({ kind: 'missing', text: expect.stringMatching(said) as string })
      expect(machine.sh('ls /root')).not.toContain('ran')
      return op_id
    }
    const NEVER_RAN = { kind: 'lost', lost: 'not_started' }
    const fateOf = async (op_id: string) => {
      await using connections = connectionsWith()
      return await connections.machineOf(machine.target).operationStatus(options(op_id), never)
    }

    test.each(Object.entries(DEEDS))('%s: the helper is missing, and nothing is run', async (_deed, [deed, said]) => {
      deed()
      const op_id = await missing(machine.target, said)
      machine.sh(`if [ -e ${PROGRAM}.away ]; then mv -f ${PROGRAM}.away ${PROGRAM}; fi`)
      rule(RULE)
      expect(await fateOf(op_id)).toMatchObject(NEVER_RAN)
    })

    test('is not there, and has said so before anything was asked, is heard', async () => {
      away()
      await using connections = connectionsWith()
      const connection = await connections.doorOf(machine.target, 'now').open(never)
      await once(connection, 'readable')
      connection.end('too late')
      expect(await text(connection)).toContain('sudo')
      machine.sh(`mv -f ${PROGRAM}.away ${PROGRAM}`)
    })

    test('may become nobody (NoNewPrivileges): the helper is missing, and nothing is run', async () => {
      const target = await machine.targetBeside('setpriv --no-new-privs')
      expect(await fateOf(await missing(target, /no new privileges/))).toMatchObject(NEVER_RAN)
    })
  })
})
