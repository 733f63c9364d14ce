import { describe, expect, test } from 'vitest'
import { planHash } from '../server/modules/plan-hash.ts'
import { whyNoDebian } from './stage/machines/debian-root.ts'
import { ended, refused, stageReeveOp } from './stage/machines/reeve-op-stage.ts'
import type { RootMachine } from './stage/machines/root-machine.ts'

const why = whyNoDebian()
describe.skipIf(why !== null)(`reeve-op, accounts and packages${why === null ? '' : ` (skipped: ${why})`}`, () => {
  let machine: RootMachine
  const { ask, run } = stageReeveOp((opened) => (machine = opened))

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
    for (const name of ['toy-', 'toy+', 'toy=1-'])
      expect(await run({ op: 'package', action: 'hold', names: [name] })).toEqual(refused('syntax'))
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

  test.each(['openssh-server', 'sudo', 'the running kernel'])(
    'a plan that would remove %s with what is to be removed is refused',
    async (what) => {
      await machine.allow('allow package remove')
      const name = what === 'the running kernel' ? `linux-image-${machine.sh('uname -r').trim()}` : what
      // Of no version that anything depends on: what is told here is only that it needs `toy`.
      machine.sh(`cd /srv; rm -rf needy; mkdir -p needy/DEBIAN toy/DEBIAN
        printf 'Package: toy\nVersion: 1\nArchitecture: all\nMaintainer: T <t@example.com>\nDescription: toy\n' > toy/DEBIAN/control
        printf 'Package: ${name}\nVersion: 9:99\nArchitecture: all\nDepends: toy\nMaintainer: T <t@example.com>\nDescription: toy\n' > needy/DEBIAN/control
        dpkg-deb --build --root-owner-group toy /srv/toy.deb >/dev/null; dpkg-deb --build --root-owner-group needy /srv/needy.deb >/dev/null
        dpkg --force-depends -i /srv/toy.deb /srv/needy.deb >/dev/null 2>&1 || :`)
      const simulated = machine.sh('apt-get -s remove -- toy')
      expect(simulated).toContain(`Remv ${name} [9:99]`)
      expect(await run({ op: 'package', action: 'remove', names: ['toy'], plan: planHash(simulated) })).toMatchObject({
        kind: 'refused',
        why: 'protected',
        text: expect.stringContaining(name) as string,
      })
      expect(machine.sh(`dpkg-query -W -f='\${Status}' toy ${name}`)).toBe('install ok installed'.repeat(2))
      machine.sh(`dpkg --purge --force-all ${name} toy >/dev/null 2>&1 || :`)
    },
  )
})
