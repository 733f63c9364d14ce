import { createHash } from 'node:crypto'
import { chmod, link, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { whyNoDebian } from './stage/machines/debian-root.ts'
import {
  ended,
  hash,
  newId,
  refused,
  SHELLS,
  stageReeveOp,
  withShell,
  writing,
} from './stage/machines/reeve-op-stage.ts'
import type { RootMachine } from './stage/machines/root-machine.ts'
import { until } from './stage/wait.ts'

const why = whyNoDebian()
describe.skipIf(why !== null)(`reeve-op and files${why === null ? '' : ` (skipped: ${why})`}`, () => {
  let machine: RootMachine
  const { ask, run } = stageReeveOp((opened) => (machine = opened))

  describe.each(SHELLS)('with %s as its shell', (shell) => {
    withShell(shell, () => machine)

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

    test('what it kept of an old file is still there afterwards; records are kept by number and age', async () => {
      const path = '/etc/toy/old.conf'
      await machine.put(path, 'old\n')
      machine.sh(`touch -d 2001-01-01 ${path}; cd /var/lib/reeve-op/jobs; rm -rf ../jobs/* ../backup/*
        for n in $(seq 1000 2010); do mkdir $n; done; mkdir aged; touch -d 2001-01-01 aged; touch -d 2002-01-01 ../backup/aged`)
      const deleted = newId()
      expect(await run({ op: 'file', action: 'delete', path, if_hash: hash('old\n') }, deleted)).toEqual(ended(0))
      const left = () => machine.sh('cd /var/lib/reeve-op; ls jobs | wc -l; ls backup jobs | grep aged || :')
      // One that goes by its age may be counted among the others, or not any more.
      await until(() => /^(?:999|1000)\n$/.test(left()), { what: 'the oldest to go' })
      expect(await run({ op: 'file', action: 'restore', path, if_hash: null, backup: deleted })).toEqual(ended(0))
      expect(machine.sh(`cat ${path}; date -r ${path} +%Y; rm -rf /var/lib/reeve-op/jobs/*`)).toBe('old\n2001\n')
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
      expect(await run(writing(path, 'one\n', 'two\n'), written)).toEqual({
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
      expect(await run(writing('/etc/toy/none', '', 'x'))).toEqual(refused('hash'))
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
      expect(await run(writing(path, 'good\n', 'bad\n'))).toEqual(ended(1))
      expect(await run({ op: 'file', action: 'delete', path, if_hash: hash('good\n') })).toEqual(ended(1))
      expect(machine.sh(`cat ${path}; stat -c %a ${path}; ls -A /etc/toy`)).toBe('good\n604\nchecked\n')
      expect(await run(writing(path, 'good\n', 'good too\n'))).toEqual(ended(0))
    })

    test('where etckeeper keeps /etc, each change is kept as such, before anybody is told of it', async () => {
      await machine.put(
        '/usr/bin/etckeeper',
        `#!/bin/sh
case $1 in
unclean) ! diff -rq /etc/toy /var/kept >/dev/null ;;
commit) rm -rf /var/kept && cp -a /etc/toy /var/kept && printf '%s\\n' "$2" >>/var/commits ;;
esac
`,
        0o755,
      )
      machine.sh('rm -rf /var/kept /var/commits; cp -a /etc/toy /var/kept; : >/var/commits')
      const path = '/etc/toy/kept.conf'
      expect(await run({ op: 'file', action: 'create', path, content: Buffer.from('one\n') })).toEqual(ended(0))
      expect(machine.read('/var/commits')).toMatch(/^reeve-op id [0-9a-f]{32} file action create path \S+kept\.conf/)
      expect(await run(writing(path, 'another\n', 'two\n'))).toEqual(refused('hash'))
      expect(machine.read('/var/commits').split('\n')).toHaveLength(2)
      machine.sh('rm /usr/bin/etckeeper')
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
        expect([path, await run(writing(`/etc/toy/${path}`, 'a', 'b'))]).toEqual([path, refused('path')])
      expect(await run({ op: 'file', action: 'create', path: '/etc/toy/dangling', content })).toEqual(refused('path'))
      expect(await run({ op: 'file', action: 'create', path: '/etc/toy/none/file', content })).toEqual(refused('path'))
      for (const path of ['/etc/toy//dir/file', '/etc/toy/dir/', 'etc/toy/file', '/etc/toy/a b', '/etc/toy/ä'])
        expect([path, await run(writing(path, 'a', 'b'))]).toEqual([path, refused('syntax')])
      expect(await run(writing('/etc/toys', 'a', 'b'))).toEqual(refused('not_allowed'))
      expect(machine.sh('cat /etc/toy/*/file | tr -d "\\n"')).toBe('aaaaa')
      expect(await run(writing('/etc/toy/dir/file', 'a', 'b'))).toEqual(ended(0))
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
  })
})
