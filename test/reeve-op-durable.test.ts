import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { localDoor } from '../server/hosts/reeve-op/door.ts'
import { encodeRequest } from '../server/hosts/reeve-op/encode-request.ts'
import { operate, operationStatus } from '../server/hosts/reeve-op/operate.ts'
import { readAnswer } from '../server/hosts/reeve-op/read-answer.ts'
import { HELPER } from '../server/hosts/reeve-op/shipped-files.ts'
import type { Operation } from '../server/modules/machine-operation.ts'
import { whyNoDebian } from './stage/machines/debian-root.ts'
import { ended, NEVER, newId, refused, SHELLS, stageReeveOp, withShell } from './stage/machines/reeve-op-stage.ts'
import type { RootMachine } from './stage/machines/root-machine.ts'
import { until } from './stage/wait.ts'

const why = whyNoDebian()
describe.skipIf(why !== null)(
  `operations of reeve-op that are lost, doubled or wrong${why === null ? '' : ` (skipped: ${why})`}`,
  () => {
    let machine: RootMachine
    const { ask, raw, run } = stageReeveOp((opened) => (machine = opened))

    describe.each(SHELLS)('with %s as its shell', (shell) => {
      withShell(shell, () => machine)

      test('a lost connection ends the asking, not the operation, which happens once', async () => {
        await machine.allow('allow command')
        machine.sh('rm -f /root/count /root/gate; mkfifo /root/gate')
        const script =
          'echo one >> /root/count; cat /root/gate; i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done; exit 3'
        const op_id = newId()
        const outcome = run({ op: 'command', script, deadline_s: 100 }, op_id)
        await until(() => machine.sh('cat /root/count 2>/dev/null || :') !== '', { what: 'the operation began' })
        machine.killDoors()
        // Another one has to wait; asking again is not another one.
        expect(await ask({ op: 'command', script: 'true', deadline_s: 5 })).toEqual({ kind: 'busy' })
        expect(machine.sh('cat /root/count')).toBe('one\n')
        machine.sh('echo gate > /root/gate')
        expect(await outcome).toEqual({
          kind: 'ended',
          exit_code: 3,
          text: expect.stringMatching(/^gate\nline 0\n[^]*line 2999$/) as string,
        })
        expect(await run({ op: 'command', script, deadline_s: 100 }, op_id)).toEqual(await outcome)
        expect(await operationStatus(localDoor(machine.socket), { op_id, deadline_ms: 60_000 }, NEVER)).toEqual(
          await outcome,
        )
        expect(machine.sh('cat /root/count')).toBe('one\n')
        // The id is that of one operation, whatever else is asked with it.
        expect(await ask({ op: 'command', script: 'echo two >> /root/count', deadline_s: 5 }, op_id)).toEqual(
          refused('other'),
        )
        expect(machine.sh('cat /root/count')).toBe('one\n')
      })

      test('what did not arrive never happens, and what was ended is told as such', async () => {
        await machine.allow('allow command', 'allow file /etc/toy')
        const [late, killed] = [newId(), newId()]
        expect(await ask({ op: 'status' }, late)).toMatchObject({ kind: 'lost', lost: 'not_started' })
        expect(await ask({ op: 'command', script: 'touch /root/late', deadline_s: 5 }, late)).toMatchObject({
          kind: 'lost',
          lost: 'not_started',
        })
        // The connection breaks in the middle of the content.
        const half = encodeRequest(newId(), {
          op: 'file',
          action: 'create',
          path: '/etc/toy/half',
          content: Buffer.alloc(1000, 'a'),
        })
        expect(await raw(half.subarray(0, -1).toString('latin1'))).toMatch(/^refused\nsyntax: /)
        expect(machine.sh('ls /root/late /etc/toy 2>&1 || :')).toBe(
          "ls: cannot access '/root/late': No such file or directory\n/etc/toy:\n",
        )
        machine.sh('rm -f /root/pid')
        const outcome = run(
          { op: 'command', script: 'echo before; echo $$ > /root/pid; sleep 1000', deadline_s: 2000 },
          killed,
        )
        await until(() => machine.sh('cat /root/pid 2>/dev/null || :') !== '', { what: 'the operation began' })
        // As when the machine goes down: the operation's own process first, so that nothing can be noted.
        machine.sh(
          `for p in /proc/[0-9]*; do if tr '\\0' ' ' <$p/cmdline 2>/dev/null | grep -q '[w]ork ${killed}'; then kill -9 \${p#/proc/}; fi; done; kill -9 $(cat /root/pid)`,
        )
        expect(await outcome).toEqual({
          kind: 'interrupted',
          text: expect.stringMatching(/not known/) as string,
        })
      })

      test('nothing is answered to a request that is not whole, or has anything that it should not have', async () => {
        const id = `id ${newId()}`
        const bad: Record<string, string> = {
          nothing: '',
          'another version': `reeve-op 2\n${id}\nhello\n\n`,
          'no blank line': `reeve-op 1\n${id}\nhello\n`,
          'an id that is none': 'reeve-op 1\nid ../../../etc/passwd\nstatus\n\n',
          'a field twice': `reeve-op 1\n${id}\nfile\naction write\naction delete\n\n`,
          'a field of another operation': `reeve-op 1\n${id}\nhello\naction start\n\n`,
          'a field of none': `reeve-op 1\n${id}\nhello\nPATH /tmp\n\n`,
          'an option': `reeve-op 1\n${id}\npackage\naction install\nname --allow-downgrades\nplan ${'0'.repeat(64)}\n\n`,
          'a shell': `reeve-op 1\n${id}\nservice\naction start\nunit $(reboot)\n\n`,
          'a pattern': `reeve-op 1\n${id}\nservice\naction start\nunit *\n\n`,
          'a NUL': `reeve-op 1\n${id}\nhel\0lo\n\n`,
          'a carriage return': `reeve-op 1\r\n${id}\r\nhello\r\n\r\n`,
          'a body that it has not': `reeve-op 1\n${id}\nhello\n\nmore`,
          'too much': `reeve-op 1\n${id}\nhello\n\n${'x'.repeat(3_000_000)}`,
        }
        for (const [what, text] of Object.entries(bad)) {
          // What breaks off is nothing to answer; the connection is simply closed by reeve-op, not by an error.
          const answer = await raw(text)
          expect([what, answer]).toEqual([what, expect.stringMatching(/^refused\nsyntax: /)])
        }
      })
    })

    test('output without end fills nothing, and a command without end is ended', async () => {
      await machine.allow('allow command')
      const outcome = await run({
        op: 'command',
        script: 'head -c 5000000 /dev/zero | tr "\\0" x; echo end >&2',
        deadline_s: 60,
      })
      expect(outcome).toMatchObject({ kind: 'ended', exit_code: 0 })
      expect((outcome as { text: string }).text.length).toBe(65_536)
      expect(machine.sh('find /var/lib/reeve-op -size +3M')).toBe('')
      expect(await run({ op: 'command', script: 'sleep 1000', deadline_s: 1 })).toEqual(ended(124))
    })

    test('sixteen ask at once: each is answered, and one of them runs', async () => {
      await machine.allow('allow command')
      machine.sh('rm -f /root/all')
      const outcomes = await Promise.all(
        Array.from({ length: 16 }, () =>
          ask({ op: 'command', script: 'echo x >> /root/all; sleep 3', deadline_s: 20 }),
        ),
      )
      const kinds = outcomes.map((outcome) => outcome?.kind)
      const ran = kinds.filter((kind) => kind === 'ended').length
      expect(kinds.filter((kind) => kind === 'busy').length).toBe(16 - ran)
      expect(machine.sh('wc -l < /root/all').trim()).toBe(String(ran))
    })

    test('where there is no door, or something else behind it, the helper is missing', async () => {
      const nowhere = localDoor(join(machine.folder, 'run/nothing.sock'))
      const operation: Operation = { op: 'power', action: 'cancel' }
      expect(await operate(nowhere, operation, { op_id: newId(), deadline_ms: 5000 }, NEVER)).toMatchObject({
        kind: 'missing',
      })
      await machine.put(HELPER.program, '#!/bin/sh\ncat >/dev/null\necho "sudo: a password is required"\n', 0o755)
      expect(await run(operation)).toEqual({ kind: 'missing', text: 'sudo: a password is required' })
      // Not the same as an answer that was cut off: then something may have happened.
      for (const cut of ['fai', 'ok\n', 'failed\nexit 1', 'busy\nAnother'])
        expect(readAnswer(Buffer.from(cut))).toBe(null)
      for (const other of ['okay\n', 'failed to start\n', 'usage: sudo\n'])
        expect(readAnswer(Buffer.from(other))).toEqual({ kind: 'missing', text: other.trimEnd() })
    })
  },
)
