import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { NewWatch } from '../contract/watches.ts'
import { type FleetStage, openFleet } from './stage/hosts/fleet-stage.ts'
import { sshdMissing } from './stage/servers/ssh-server.ts'
import { databases } from './stage/servers/postgres.ts'
import { DISK, watching, type Watching } from './stage/watches/watch-stage.ts'

const skipped = sshdMissing === null ? '' : ` (skipped: ${sshdMissing})`
describe.skipIf(sshdMissing !== null).each(databases)(`watches of machines, on $name${skipped}`, (database) => {
  let fleet: FleetStage
  let watch: Watching
  let off: string
  beforeAll(async () => {
    fleet = await openFleet(database)
    watch = watching(fleet.stage)
    await watch.disk(50)
    await fleet.add('web-1', ['web'])
    off = await fleet.add('web-2', ['web'])
    await fleet.add('away', ['far'], { port: 1 })
  })
  afterAll(() => fleet[Symbol.asyncDispose]())

  /** Whatever a machine answers is beyond. */
  const memory = (machines: NewWatch['source']['machines']): Partial<NewWatch> => ({
    source: { kind: 'figure', figure: 'memory_used', machines },
    condition: { ...DISK.condition, bound: -1 },
  })
  const phases = (seen: Awaited<ReturnType<Watching['read']>>) =>
    Object.fromEntries(
      seen.subjects.map(({ machine, phase, problem }) => [machine, problem === null ? phase : 'unknown']),
    )

  test('each machine is followed by itself, and one that is away is not known', async () => {
    const seen = await watch.add(fleet.admin, { name: 'Memory', ...memory({ of: 'all' }) })
    expect(phases(seen)).toEqual({ local: 'crossed', 'web-1': 'crossed', 'web-2': 'crossed', away: 'unknown' })
    expect(seen.counts).toEqual({ crossed: 3, pending: 0, unknown: 1, all: 4 })
    const signedIn = () => fleet.server.log().match(/Accepted publickey/g)?.length
    const before = signedIn()
    // What was asked a moment ago is not asked again, and there is one connection.
    const web = await watch.add(fleet.admin, { name: 'Web', ...memory({ of: 'tag', tag: 'web' }) })
    expect(phases(web)).toEqual({ 'web-1': 'crossed', 'web-2': 'crossed' })
    expect(signedIn()).toBe(before)

    await fleet.update(off, { disabled: true })
    const after = await watch.later(fleet.admin, web.watch_id)
    expect(phases(after)).toEqual({ 'web-1': 'crossed' })
    const crossings = await watch.crossings(fleet.admin, web.watch_id)
    expect(crossings.find(({ machine }) => machine === 'web-2')).toMatchObject({ ended: 'gone' })
    await fleet.update(off, { disabled: false })
  })

  test('a table of several machines is read on each; one that is away leaves what was known', async () => {
    const seen = await watch.add(fleet.admin, {
      name: 'Disks',
      source: {
        kind: 'table',
        module: 'system',
        tool: 'disks',
        arguments: {},
        machines: { of: 'all' },
        column: null,
        match: 'none',
        where: [],
        key: null,
      },
      condition: { ...DISK.condition, bound: 0 },
    })
    expect(phases(seen)).toMatchObject({ local: 'crossed', 'web-1': 'crossed', away: 'unknown' })
    expect(seen.problem).toBe(null)
  })

  test('others see no machine that they may not use', async () => {
    const ann = await fleet.stage.as('ann')
    const seen = await watch.add(ann, { name: 'Mine', ...memory({ of: 'all' }) })
    expect(phases(seen)).toEqual({ local: 'crossed' })
    const host_id = off
    await expect(
      ann.call(contract.watches.createWatch, { body: { ...DISK, name: 'Theirs', ...memory({ of: 'host', host_id }) } }),
    ).rejects.toMatchObject({ code: 'bad_watch' })
    const { items } = await ann.call(contract.watches.listWatches)
    expect(JSON.stringify(items)).not.toContain('web-')
  })
})
