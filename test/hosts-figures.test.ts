import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { type FleetStage, openFleet } from './stage/hosts/fleet-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { sshdMissing } from './stage/servers/ssh-server.ts'
import { until } from './stage/wait.ts'

const { hostFigures } = contract.hostFigures

const skipped = sshdMissing === null ? '' : ` (skipped: ${sshdMissing})`
describe.skipIf(sshdMissing !== null).each(databases)(`all machines at a glance, on $name${skipped}`, (database) => {
  let fleet: FleetStage
  beforeAll(async () => {
    fleet = await openFleet(database)
  })
  afterAll(() => fleet[Symbol.asyncDispose]())

  const list = async (client = fleet.admin) => (await client.call(hostFigures)).items
  const settled = () =>
    until(
      async () => {
        const items = await list()
        return items.every(({ looking }) => !looking) && items
      },
      { what: 'every machine was looked at' },
    )

  test('the only machine is listed, and nothing looks at it', async () => {
    expect(await list()).toEqual([
      expect.objectContaining({ host_id: 'local', state: 'ok', figures: null, looking: false }),
    ])
  })

  test('with others, all are looked at at once, and who cannot be reached is told with why', async () => {
    const names = ['web-1', 'web-2', 'web-3']
    for (const name of names) await fleet.add(name, ['web'])
    await fleet.add('away', [], { port: 1 })
    const off = await fleet.add('off')
    await fleet.update(off, { disabled: true })
    // At once, before anything is known.
    const first = await list()
    expect(first.filter(({ looking }) => looking)).toHaveLength(5)
    const items = await settled()
    const by = new Map(items.map((item) => [item.name, item]))
    for (const name of ['local', ...names])
      expect(by.get(name)).toMatchObject({
        state: 'ok',
        problem: null,
        figures: {
          load: expect.any(Number),
          cores: expect.any(Number),
          memory: { used: expect.any(Number), total: expect.any(Number) },
          at: expect.any(String),
        },
      })
    expect(by.get('away')).toMatchObject({ state: 'unreachable', problem: expect.any(String), figures: null })
    expect(by.get('off')).toMatchObject({ disabled: true, figures: null, looking: false })
    // They are young: nobody is asked again.
    const signed = () => fleet.server.log().match(/Accepted publickey/g)?.length
    const before = [signed(), JSON.stringify(await list())]
    expect([signed(), JSON.stringify(await list())]).toEqual(before)
    // One connection each.
    expect(signed()).toBe(3)
  })

  test('only machines that the caller may use are there', async () => {
    const ann = await fleet.stage.as('ann')
    expect((await list(ann)).map(({ name }) => name)).toEqual(['local'])
  })
})
