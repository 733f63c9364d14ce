import { createHash, randomBytes } from 'node:crypto'
import { chmod, link, mkdtemp, rm, symlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { askHelper } from '../server/hosts/reeve-op/ask.ts'
import { localDoor } from '../server/hosts/reeve-op/door.ts'
import { encodeRequest, type HelperRequest } from '../server/hosts/reeve-op/encode-request.ts'
import { operate, operationStatus } from '../server/hosts/reeve-op/operate.ts'
import { readAnswer } from '../server/hosts/reeve-op/read-answer.ts'
import type { Operation, OperationOutcome } from '../server/modules/machine-operation.ts'
import { planHash } from '../server/modules/plan-hash.ts'
import { whyNoDebian } from './stage/debian-root.ts'
import { openRootMachine, type RootMachine, type Shell, whyNoShell } from './stage/root-machine.ts'
import { until } from './stage/wait.ts'

const LIMIT_MS = 600_000
const SHELLS: readonly Shell[] = ['dash', 'bash', 'busybox']
const never = new AbortController().signal
const newId = (): string => randomBytes(16).toString('hex')
const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

const why = whyNoDebian()
describe.skipIf(why !== null)(`reeve-op on a machine of its own${why === null ? '' : ` (skipped: ${why})`}`, () => {
  let scratch: string
  let machine: RootMachine
  let missing: string | null = null
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'reeve-op-'))
    const opened = await openRootMachine(join(scratch, 'machine'))
    if (typeof opened === 'string') missing = opened
    else machine = opened
  }, LIMIT_MS)
  afterAll(async () => {
    await machine?.[Symbol.asyncDispose]()
    await rm(scratch, { recursive: true, force: true })
  })
  beforeEach(async ({ skip }) => {
    if (missing !== null) return skip(missing)
    await machine.useShell('dash')
  })

  const ask = async (request: HelperRequest, id = newId()): Promise<OperationOutcome | null> =>
    readAnswer(await askHelper(localDoor(machine.socket), encodeRequest(id, request), never))
  const run = (operation: Operation, op_id = newId()): Promise<OperationOutcome> =>
    operate(localDoor(machine.socket), operation, { op_id, deadline_ms: 120_000 }, never)
  const raw = async (text: string): Promise<string> =>
    (await askHelper(localDoor(machine.socket), Buffer.from(text, 'latin1'), never)).toString()
  const refused = (word: string): unknown => expect.objectContaining({ kind: 'refused', why: word })
  const ended = (exit_code: number): unknown => expect.objectContaining({ kind: 'ended', exit_code })
  const write = (path: string, before: string, content: string): Operation => ({
    op: 'file',
    action: 'write',
    path,
    if_hash: hash(before),
    content: Buffer.from(content),
  })

  describe.each(SHELLS)('with %s as its shell', (shell) => {
    const noShell = whyNoShell(shell)
    beforeEach(async ({ skip }) => {
      if (noShell !== null) return skip(noShell)
      await machine.useShell(shell)
      machine.sh('rm -rf /etc/toy && mkdir /etc/toy')
      await machine.allow('allow file /etc/toy', 'check /etc/toy/checked /bin/grep -q good /etc/toy/checked')
    })

    test('it says who it is and what it may do, and takes nothing from its environment', async () => {
      await machine.put('/tmp/evil/grep', '#!/bin/sh\ntouch /tmp/evil/done\n', 0o755)
      await machine.put('/tmp/evil/env', 'touch /tmp/evil/done\n')
      const answer = await ask({ op: 'hello' })
      expect(answer).toEqual({
        kind: 'ended',
        exit_code: 0,
        text: expect.stringMatching(/^uid 0\nprogram [0-9a-f]{64}\nallow file \/etc\/toy\ncheck /) as string,
      })
      expect(machine.sh('ls /tmp/evil')).toBe('env\ngrep\n')
    })

    test('files are created, written, given modes and owners, deleted, and put back', async () => {
      const path = '/etc/toy/one.conf'
      expect(
        await run({
          op: 'file',
          action: 'create',
          path,
          content: Buffer.from('one\n\0\xff', 'latin1'),
          mode: '640',
          owner: 'root:adm',
        }),
      ).toEqual({
        kind: 'ended',
        exit_code: 0,
        text: `hash ${createHash('sha256').update('one\n\0\xff', 'latin1').digest('hex')}`,
      })
      expect(machine.sh(`stat -c '%a %U:%G %s' ${path}`)).toBe('640 root:adm 6\n')
      await machine.put(path, 'one\n', 0o640)
      const [written, deleted] = [newId(), newId()]
      expect(await run(write(path, 'one\n', 'two\n'), written)).toEqual({
        kind: 'ended',
        exit_code: 0,
        text: `backup ${written}\nhash ${hash('two\n')}`,
      })
      expect(machine.sh(`cat ${path}; stat -c '%a %U:%G' ${path}`)).toBe('two\n640 root:adm\n')
      expect(await run({ op: 'file', action: 'mode', path, if_hash: hash('two\n'), mode: '600' })).toEqual(ended(0))
      expect(await run({ op: 'file', action: 'owner', path, if_hash: hash('two\n'), owner: 'daemon:daemon' })).toEqual(
        ended(0),
      )
      expect(machine.sh(`stat -c '%a %U:%G' ${path}`)).toBe('600 daemon:daemon\n')
      expect(await run({ op: 'file', action: 'delete', path, if_hash: hash('two\n') }, deleted)).toEqual(ended(0))
      expect(machine.sh('ls -A /etc/toy')).toBe('')
      expect(await run({ op: 'file', action: 'restore', path, if_hash: null, backup: deleted })).toEqual(ended(0))
      expect(machine.sh(`cat ${path}; stat -c '%a %U:%G' ${path}`)).toBe('two\n600 daemon:daemon\n')
      expect(await run({ op: 'file', action: 'restore', path, if_hash: hash('two\n'), backup: written })).toEqual(
        ended(0),
      )
      expect(machine.sh(`cat ${path}; stat -c '%a %U:%G' ${path}; ls -A /etc/toy`)).toBe(
        'one\n640 root:adm\none.conf\n',
      )
      // Not what it was then, not this file's, not there.
      expect(await run({ op: 'file', action: 'restore', path, if_hash: hash('two\n'), backup: written })).toEqual(
        refused('hash'),
      )
      expect(
        await run({ op: 'file', action: 'restore', path: '/etc/toy/other', if_hash: null, backup: written }),
      ).toEqual(refused('backup'))
      expect(await run({ op: 'file', action: 'create', path, content: Buffer.from('x') })).toEqual(refused('hash'))
      expect(await run(write('/etc/toy/none', '', 'x'))).toEqual(refused('hash'))
    })

    test('a file that its check refuses is as before: bytes, mode, or not there', async () => {
      const path = '/etc/toy/checked'
      expect(await run({ op: 'file', action: 'create', path, content: Buffer.from('bad') })).toMatchObject({
        kind: 'ended',
        exit_code: 1,
        text: expect.stringContaining('as it was before') as string,
      })
      expect(machine.sh('ls -A /etc/toy')).toBe('')
      await machine.put(path, 'good\n', 0o604)
      expect(await run(write(path, 'good\n', 'bad\n'))).toEqual(ended(1))
      expect(await run({ op: 'file', action: 'delete', path, if_hash: hash('good\n') })).toEqual(ended(1))
      expect(machine.sh(`cat ${path}; stat -c %a ${path}; ls -A /etc/toy`)).toBe('good\n604\nchecked\n')
      expect(await run(write(path, 'good\n', 'good too\n'))).toEqual(ended(0))
    })

    test('links, other names, folders that others can write, and spellings are refused', async () => {
      const inside = join(machine.folder, 'etc/toy')
      machine.sh(
        'mkdir /etc/toy/open /etc/toy/group /etc/toy/theirs /etc/toy/dir && chmod 1777 /etc/toy/open && chmod 775 /etc/toy/group && chown daemon /etc/toy/theirs',
      )
      for (const folder of ['.', 'open', 'group', 'theirs', 'dir']) await machine.put(`/etc/toy/${folder}/file`, 'a')
      await symlink('/etc/hostname', join(inside, 'link'))
      await symlink('/etc/toy/dir', join(inside, 'way'))
      await symlink('/nothing', join(inside, 'dangling'))
      await link(join(inside, 'file'), join(inside, 'second'))
      const content = Buffer.from('b')
      for (const path of [
        'link',
        'second',
        'open/file',
        'group/file',
        'theirs/file',
        'way/file',
        'dir',
        'dir/../dir/file',
        './dir/file',
      ])
        expect([path, await run(write(`/etc/toy/${path}`, 'a', 'b'))]).toEqual([path, refused('path')])
      expect(await run({ op: 'file', action: 'create', path: '/etc/toy/dangling', content })).toEqual(refused('path'))
      expect(await run({ op: 'file', action: 'create', path: '/etc/toy/none/file', content })).toEqual(refused('path'))
      for (const path of ['/etc/toy//dir/file', '/etc/toy/dir/', 'etc/toy/file', '/etc/toy/a b', '/etc/toy/ä'])
        expect([path, await run(write(path, 'a', 'b'))]).toEqual([path, refused('syntax')])
      expect(await run(write('/etc/toys', 'a', 'b'))).toEqual(refused('not_allowed'))
      expect(machine.sh('cat /etc/toy/*/file | tr -d "\\n"')).toBe('aaaaa')
      expect(await run(write('/etc/toy/dir/file', 'a', 'b'))).toEqual(ended(0))
      await chmod(join(inside, 'dir'), 0o755)
    })

    test('what no list can allow is refused', async () => {
      await machine.allow(
        'allow file /etc /usr /var /root /home /proc',
        'allow service reeve.service ssh.service',
        'allow user lock create groups',
        'allow group sudo reeve-op users',
        'allow package remove',
      )
      const content = Buffer.from('x')
      for (const path of [
        '/etc/shadow',
        '/etc/passwd',
        '/etc/sudoers',
        '/etc/sudoers.d/x',
        '/etc/doas.conf',
        '/etc/pam.d/su',
        '/etc/ld.so.preload',
        '/etc/polkit-1/rules.d/x',
        '/etc/ssh/sshd_config',
        '/etc/ssh/sshd_config.d/x',
        '/home/anna/.ssh/authorized_keys',
        '/etc/reeve-op.conf',
        '/usr/local/libexec/reeve-op',
        '/var/lib/reeve-op/jobs/x',
        '/etc/systemd/system/reeve.service',
        '/etc/systemd/system/reeve-op@.service.d/x.conf',
        '/root/.bashrc',
        '/proc/sysrq-trigger',
        '/etc/group',
      ])
        expect([path, await run({ op: 'file', action: 'create', path, content })]).toEqual([path, refused('protected')])
      expect(await run({ op: 'service', action: 'start', unit: 'reeve.service' })).toEqual(refused('protected'))
      expect(await run({ op: 'service', action: 'stop', unit: 'ssh.service' })).toEqual(refused('protected'))
      for (const name of ['root', 'daemon', 'reeve'])
        expect([name, await run({ op: 'user', action: 'lock', name })]).toEqual([name, refused('protected')])
      for (const group of ['sudo', 'reeve-op'])
        expect(await run({ op: 'user', action: 'create', name: 'anna', groups: [group] })).toEqual(refused('protected'))
      expect(await run({ op: 'command', script: 'id', deadline_s: 5 })).toEqual(refused('not_allowed'))
      expect(await run({ op: 'power', action: 'off', minutes: 0 })).toEqual(refused('not_allowed'))
    })

    test('a list that others can write allows nothing', async () => {
      await machine.allow('allow command')
      await chmod(join(machine.folder, 'etc/reeve-op.conf'), 0o664)
      expect(await run({ op: 'command', script: 'id', deadline_s: 5 })).toEqual(refused('other'))
      await machine.allow('# allow command', 'allow service a.service # command', 'allow file /', 'check / false')
      expect(await run({ op: 'command', script: 'id', deadline_s: 5 })).toEqual(refused('not_allowed'))
      expect(await run({ op: 'file', action: 'create', path: '/etc/x', content: Buffer.from('x') })).toEqual(
        refused('not_allowed'),
      )
    })

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
      expect(await operationStatus(localDoor(machine.socket), { op_id, deadline_ms: 60_000 }, never)).toEqual(
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

  test('accounts of persons are made, changed, locked and deleted', async () => {
    await machine.allow('allow user create lock unlock groups ungroup key unkey delete', 'allow group users games')
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl anna@home'
    const account = (): string => machine.sh('getent shadow anna | cut -d: -f2,8; id -nG anna')
    expect(await run({ op: 'user', action: 'create', name: 'anna', groups: ['users'] })).toEqual(ended(0))
    expect(account()).toBe('*:\nanna users\n')
    expect(await run({ op: 'user', action: 'create', name: 'anna', groups: [] })).toEqual(ended(9))
    expect(await run({ op: 'user', action: 'groups', name: 'anna', groups: ['games'] })).toEqual(ended(0))
    expect(await run({ op: 'user', action: 'ungroup', name: 'anna', groups: ['users'] })).toEqual(ended(0))
    expect(await run({ op: 'user', action: 'groups', name: 'anna', groups: ['mail'] })).toEqual(refused('not_allowed'))
    expect(await run({ op: 'user', action: 'lock', name: 'anna' })).toEqual(ended(0))
    expect(account()).toBe('!*:0\nanna games\n')
    expect(await run({ op: 'user', action: 'unlock', name: 'anna' })).toEqual(ended(0))
    expect(account()).toBe('*:\nanna games\n')
    for (let i = 0; i < 2; i++) expect(await run({ op: 'user', action: 'key', name: 'anna', key })).toEqual(ended(0))
    expect(
      machine.sh(
        "cat ~anna/.ssh/authorized_keys; stat -c '%U %a' ~anna/.ssh ~anna/.ssh/authorized_keys".replaceAll(
          '~anna',
          '/home/anna',
        ),
      ),
    ).toBe(`${key}\nanna 700\nanna 600\n`)
    for (const bad of [`command="id" ${key}`, `${key}\n${key}`, 'x'])
      expect(await run({ op: 'user', action: 'key', name: 'anna', key: bad })).toEqual(refused('syntax'))
    expect(await run({ op: 'user', action: 'unkey', name: 'anna', key })).toEqual(ended(0))
    expect(machine.read('/home/anna/.ssh/authorized_keys')).toBe('')
    // Anna's links lead where Anna may write.
    machine.sh('rm -rf /home/anna/.ssh && ln -s /root /home/anna/.ssh && ls -A /root > /tmp/before')
    expect(await run({ op: 'user', action: 'key', name: 'anna', key })).not.toEqual(ended(0))
    expect(machine.sh('ls -A /root | diff - /tmp/before')).toBe('')
    // Whoever can become root is nobody that Reeve may touch.
    machine.sh('getent group sudo >/dev/null || groupadd -g 27 sudo; usermod -aG sudo anna')
    expect(await run({ op: 'user', action: 'key', name: 'anna', key })).toEqual(refused('protected'))
    machine.sh('gpasswd -d anna sudo')
    expect(await run({ op: 'user', action: 'delete', name: 'anna', remove_home: true })).toEqual(ended(0))
    expect(machine.sh('id anna 2>&1 || ls /home')).toBe('id: ‘anna’: no such user\n')
  })

  test('packages change as planned, or not at all', async () => {
    await machine.allow('allow package install upgrade remove hold unhold refresh')
    machine.sh(`rm -f /etc/apt/sources.list.d/*; echo 'deb [trusted=yes] file:/srv/repo ./' > /etc/apt/sources.list`)
    const publish = (version: string): void =>
      void machine.sh(`mkdir -p /srv/repo /srv/toy/DEBIAN; cd /srv
        printf 'Package: toy\\nVersion: ${version}\\nArchitecture: all\\nMaintainer: T <t@example.com>\\nDescription: toy\\n' > toy/DEBIAN/control
        dpkg-deb --build --root-owner-group toy repo/toy_${version}.deb >/dev/null; cd repo; : > Packages
        for deb in *.deb; do dpkg-deb -f $deb >> Packages; printf 'Filename: ./%s\\nSize: %s\\nSHA256: %s\\n\\n' $deb $(stat -c %s $deb) $(sha256sum $deb | cut -d' ' -f1) >> Packages; done`)
    const planned = (words: string): string =>
      planHash(machine.sh(`setpriv --reuid=nobody --clear-groups apt-get -s ${words}`))
    const version = (): string => machine.sh("dpkg-query -W -f='${Status} ${Version}' toy 2>/dev/null || :")
    publish('1')
    expect(await run({ op: 'package', action: 'refresh' })).toEqual(ended(0))
    const plan = planned('install -- toy=1')
    expect(await ask({ op: 'plan', action: 'install', names: ['toy=1'] })).toMatchObject({
      kind: 'ended',
      exit_code: 0,
      text: expect.stringMatching(/^Inst toy \(1 /) as string,
    })
    expect(planHash(((await ask({ op: 'plan', action: 'install', names: ['toy=1'] })) as { text: string }).text)).toBe(
      plan,
    )
    expect(await run({ op: 'package', action: 'install', names: ['toy'], plan: '0'.repeat(64) })).toEqual(
      refused('plan'),
    )
    expect(version()).toBe('')
    expect(await run({ op: 'package', action: 'install', names: ['toy=1'], plan })).toEqual(ended(0))
    expect(version()).toBe('install ok installed 1')
    publish('2')
    expect(await run({ op: 'package', action: 'refresh' })).toEqual(ended(0))
    const upgrade = planned('install --only-upgrade -- toy')
    publish('3')
    expect(await run({ op: 'package', action: 'refresh' })).toEqual(ended(0))
    expect(await run({ op: 'package', action: 'upgrade', names: ['toy'], plan: upgrade })).toEqual(refused('plan'))
    expect(version()).toBe('install ok installed 1')
    expect(await run({ op: 'package', action: 'hold', names: ['toy'] })).toEqual(ended(0))
    expect(machine.sh('apt-mark showhold')).toBe('toy\n')
    expect(await run({ op: 'package', action: 'unhold', names: ['toy'] })).toEqual(ended(0))
    expect(await run({ op: 'package', action: 'upgrade', names: [], plan: planned('upgrade') })).toEqual(ended(0))
    expect(version()).toBe('install ok installed 3')
    expect(await run({ op: 'package', action: 'remove', names: ['toy'], plan: planned('remove -- toy') })).toEqual(
      ended(0),
    )
    expect(version()).not.toContain('installed 3')
    expect(await run({ op: 'package', action: 'install', names: ['no-such-package'], plan })).toMatchObject({
      kind: 'ended',
      exit_code: 100,
      text: expect.stringContaining('Unable to locate package') as string,
    })
    // What the machine cannot be without; apt itself only asks for a sentence to be typed.
    const dash = planned('remove -- dash || :')
    expect(await run({ op: 'package', action: 'remove', names: ['dash'], plan: dash })).toEqual(refused('protected'))
    expect(await run({ op: 'package', action: 'repair' })).toEqual(refused('not_allowed'))
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
      Array.from({ length: 16 }, () => ask({ op: 'command', script: 'echo x >> /root/all; sleep 3', deadline_s: 20 })),
    )
    const kinds = outcomes.map((outcome) => outcome?.kind)
    const ran = kinds.filter((kind) => kind === 'ended').length
    expect(kinds.filter((kind) => kind === 'busy').length).toBe(16 - ran)
    expect(machine.sh('wc -l < /root/all').trim()).toBe(String(ran))
  })

  test('where there is no door, or something else behind it, the helper is missing', async () => {
    const nowhere = localDoor(join(scratch, 'nothing.sock'))
    const operation: Operation = { op: 'power', action: 'cancel' }
    expect(await operate(nowhere, operation, { op_id: newId(), deadline_ms: 5000 }, never)).toMatchObject({
      kind: 'missing',
    })
    await machine.put(HELPER_PROGRAM, '#!/bin/sh\ncat >/dev/null\necho "sudo: a password is required"\n', 0o755)
    expect(await run(operation)).toEqual({ kind: 'missing', text: 'sudo: a password is required' })
    await machine.put(HELPER_PROGRAM, '#!/bin/sh\ncat >/dev/null\nprintf fai\n', 0o755)
    expect(readAnswer(Buffer.from('fai'))).toBe(null)
    connect(machine.socket).destroy()
  })
})

const HELPER_PROGRAM = '/usr/local/libexec/reeve-op'
