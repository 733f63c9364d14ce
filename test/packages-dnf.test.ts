import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  managerOf,
  planPackages,
  upgradablePackages,
  installedPackages,
} from '../builtin/system/packages/ask-packages.ts'
import { doablePlan } from '../builtin/system/packages/doable-plan.ts'
import type { PlannedAction } from '../server/modules/machine-operation.ts'
import type { Machine } from '../server/modules/machines.ts'
import { whyNoDebian } from './stage/machines/debian-root.ts'
import { makeDnfDebian, publishRpms } from './stage/machines/dnf-debian.ts'
import { FEDORA } from './stage/machines/fedora.ts'
import { insideMachine } from './stage/machines/inside-machine.ts'
import { ended, NEVER, refused, stageReeveOp } from './stage/machines/reeve-op-stage.ts'
import type { RootMachine } from './stage/machines/root-machine.ts'

/** Wider than the table that dnf prints. */
const LONG = `with-a-${'very-'.repeat(14)}long-name`
const LONG_VERSION = '1.22222222222222222222.33333333333333333333'

const why = whyNoDebian()
describe.skipIf(why !== null)(`packages by dnf${why === null ? '' : ` (skipped: ${why})`}`, () => {
  let inside: RootMachine
  let machine: Machine
  const { run } = stageReeveOp((made) => (inside = made), makeDnfDebian)
  beforeAll(() => {
    if (inside !== undefined) machine = insideMachine(inside, { ...FEDORA.facts, package_manager: 'dnf' })
  })
  beforeEach(async () => {
    await inside?.allow('allow package install upgrade remove refresh hold unhold')
  })

  const planOf = (action: PlannedAction, ...names: string[]) => planPackages(machine, 'dnf', { action, names }, NEVER)
  const told = async (action: PlannedAction, ...names: string[]) =>
    (await planOf(action, ...names)).packages.map(({ act, name, now, later }) => [act, name, now, later])
  const refresh = async () => expect(await run({ op: 'package', action: 'refresh' })).toEqual(ended(0))
  const installed = async () =>
    Object.fromEntries((await installedPackages(machine, 'dnf', NEVER)).map(({ name, version }) => [name, version]))

  test('are planned by root, whatever their names, and done as planned', async () => {
    expect(await managerOf(machine, NEVER)).toBe('dnf')
    publishRpms(
      inside,
      { name: 'toy', version: '1' },
      { name: LONG, version: LONG_VERSION, requires: 'toy' },
      { name: 'needy', version: '1', requires: LONG },
    )
    await refresh()
    const plan = await planOf('install', 'needy')
    expect(plan.packages.map(({ act, name, now, later }) => [act, name, now, later])).toEqual([
      ['install', 'needy', '', '1-1'],
      ['install', 'toy', '', '1-1'],
      ['install', LONG, '', `${LONG_VERSION}-1`],
    ])
    expect(await installed()).toEqual({})
    expect(await run({ op: 'package', action: 'install', names: ['needy'], plan: '0'.repeat(64) })).toEqual(
      refused('plan'),
    )
    expect(await run({ op: 'package', action: 'install', names: ['needy'], plan: plan.hash })).toEqual(ended(0))
    expect(await installed()).toEqual({ needy: '1-1', toy: '1-1', [LONG]: `${LONG_VERSION}-1` })
    expect((await planOf('install', 'needy')).packages).toEqual([])
  })

  test('are upgraded to what was shown, not to what has come since', async () => {
    publishRpms(inside, { name: 'toy', version: '2' })
    await refresh()
    expect(await upgradablePackages(machine, 'dnf', await installedPackages(machine, 'dnf', NEVER), NEVER)).toEqual([
      { name: 'toy', now: '1-1', later: '2-1', origin: 'toy' },
    ])
    const plan = await planOf('upgrade')
    expect(await told('upgrade')).toEqual([['install', 'toy', '1-1', '2-1']])
    publishRpms(inside, { name: 'toy', version: '3' })
    await refresh()
    expect(await run({ op: 'package', action: 'upgrade', names: [], plan: plan.hash })).toEqual(refused('plan'))
    const now = await planOf('upgrade', 'toy')
    expect(await run({ op: 'package', action: 'upgrade', names: ['toy'], plan: now.hash })).toEqual(ended(0))
    expect(await installed()).toMatchObject({ toy: '3-1' })
  })

  test('that need what is removed go with it, and are told; one that replaces another, too', async () => {
    publishRpms(inside, { name: 'newtoy', version: '1', obsoletes: 'needy' })
    await refresh()
    expect(await told('install', 'newtoy')).toEqual([
      ['install', 'newtoy', '', '1-1'],
      ['remove', 'needy', '1-1', ''],
    ])
    expect(await told('remove', 'toy')).toEqual([
      ['remove', 'toy', '3-1', ''],
      ['remove', 'needy', '1-1', ''],
      ['remove', LONG, `${LONG_VERSION}-1`, ''],
    ])
    const plan = await planOf('remove', 'toy')
    expect(await run({ op: 'package', action: 'remove', names: ['toy'], plan: plan.hash })).toEqual(ended(0))
    expect(await installed()).toEqual({})
  })

  test('that the machine needs stay, also when something else would take them along', async () => {
    publishRpms(inside, { name: 'base', version: '1' }, { name: 'openssh-server', version: '1', requires: 'base' })
    await refresh()
    const install = await planOf('install', 'openssh-server')
    await run({ op: 'package', action: 'install', names: ['openssh-server'], plan: install.hash })
    const remove = { action: 'remove', names: ['base'] } as const
    await expect(doablePlan(machine, 'dnf', remove, NEVER)).rejects.toThrow('This would remove openssh-server')
    const plan = await planOf('remove', 'base')
    expect(await run({ op: 'package', ...remove, plan: plan.hash })).toEqual(refused('protected'))
    expect(await installed()).toMatchObject({ 'openssh-server': '1-1' })
  })

  test('are held where dnf can, and what it says is told', async () => {
    expect(await run({ op: 'package', action: 'hold', names: ['base'] })).toEqual(ended(0))
    publishRpms(inside, { name: 'base', version: '2' })
    await refresh()
    expect(await told('upgrade')).toEqual([])
    expect(await run({ op: 'package', action: 'unhold', names: ['base'] })).toEqual(ended(0))
    expect(await told('upgrade')).toEqual([['install', 'base', '1-1', '2-1']])
    await expect(planOf('install', 'no-such-package')).rejects.toThrow('Unable to find a match: no-such-package')
    await inside.allow('allow package refresh')
    await expect(planOf('upgrade')).rejects.toThrow('No line of /etc/reeve-op.conf allows package upgrade')
  })
})
