import { describe, expect, test } from 'vitest'
import { doablePlan } from '../builtin/system/packages/doable-plan.ts'
import type { PlannedAction } from '../server/modules/machine-operation.ts'
import { whyNoDebian } from './stage/machines/debian-root.ts'
import { FEDORA } from './stage/machines/fedora.ts'
import { insideMachine } from './stage/machines/inside-machine.ts'
import { ended, NEVER, stageReeveOp } from './stage/machines/reeve-op-stage.ts'
import type { RootMachine } from './stage/machines/root-machine.ts'
import { publishToy, takePackagesFrom } from './stage/machines/toy-packages.ts'

const why = whyNoDebian()
describe.skipIf(why !== null)(`packages by apt${why === null ? '' : ` (skipped: ${why})`}`, () => {
  let inside: RootMachine
  const { run } = stageReeveOp((made) => (inside = made))

  test('that the machine needs are not planned to go, and dpkg that was interrupted is finished first', async () => {
    const machine = insideMachine(inside, { ...FEDORA.facts, package_manager: 'apt' })
    const planOf = (action: PlannedAction, name: string) => doablePlan(machine, 'apt', { action, names: [name] }, NEVER)
    await inside.allow('allow package install remove repair')
    takePackagesFrom(inside)
    publishToy(inside, '1', { postinst: '[ -e /var/good ] || kill -9 "$PPID"' })
    inside.sh('apt-get update')
    await expect(planOf('remove', 'libc-bin')).rejects.toThrow(/This would remove .*which the machine needs/)
    const { hash } = await planOf('install', 'toy')
    const cut = await run({ op: 'package', action: 'install', names: ['toy'], plan: hash })
    expect(cut).toEqual(ended(100))
    inside.sh('touch /var/good')
    await expect(planOf('remove', 'toy')).rejects.toThrow('call package with action=repair')
    expect(await run({ op: 'package', action: 'repair' })).toEqual(ended(0))
    expect(inside.sh("dpkg-query -W -f='${Status}' toy; dpkg --audit")).toBe('install ok installed')
    expect((await planOf('remove', 'toy')).packages).toMatchObject([{ act: 'remove', name: 'toy' }])
  })
})
