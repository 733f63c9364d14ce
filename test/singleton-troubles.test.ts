import { rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { DATA_BYTES } from '../server/modules/ownership/data-archive.ts'
import { counted, openCounterStage, runCounter, runsOf } from './stage/modules/counter-stage.ts'
import { openCutProxy } from './stage/servers/cut-proxy.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const params = { module_name: 'counter' }

describe.each(databases.filter(({ name }) => name === 'postgres'))('a module with data', (database) => {
  test('its owner is cut off from the database: another goes on with its data, and there is one of it again afterwards', async () => {
    await using stage = await openCounterStage(database)
    await using network = await openCutProxy(stage.url)
    const owner = await stage.first(network.url)
    await using _owner = owner.process
    await runCounter(owner.admin)
    expect(await counted(owner.ann)).toBe('number 1')
    await until(async () => (await runsOf(owner.admin))!.data?.kept_at, { what: 'its data are kept' })
    const other = await stage.another()
    await using _other = other.process
    expect(await counted(other.ann, 'read')).toBe('number 1')

    network.swallow()
    const cut = performance.now()
    await until(async () => (await runsOf(other.admin))!.owner?.here, { what: 'the other process runs it' })
    expect(await counted(other.ann)).toBe('number 2')
    // Lease and 5 s, of which the test leaves something to a crowded machine.
    expect(performance.now() - cut).toBeLessThan(30_000)

    network.mend()
    await until(async () => (await counted(owner.ann).catch(() => '')) === 'number 3', {
      what: 'both call the same one',
    })
    expect(await runsOf(owner.admin)).toMatchObject({ owner: { here: false } })
    expect(await counted(other.ann)).toBe('number 4')
  })

  test('told to be one for each process, and one for all again', async () => {
    await using stage = await openCounterStage(database)
    const owner = await stage.first()
    await using _owner = owner.process
    await runCounter(owner.admin)
    const other = await stage.another()
    await using _other = other.process
    expect(await counted(other.ann)).toBe('number 1')
    /** While it changes how it runs, a process may have no tool of it for a moment. */
    const answers = ({ ann }: typeof owner) =>
      until(async () => (await counted(ann, 'read').catch(() => '')).startsWith('number'), { what: 'it answers' })
    const choose = (instances: 'stateless' | null) =>
      other.admin.call(contract.modules.saveInstances, { params, body: { instances } })

    await choose('stateless')
    await answers(owner)
    await answers(other)
    expect(await runsOf(owner.admin)).toMatchObject({ instances: 'stateless' })
    const before = await counted(other.ann, 'read')
    expect(await counted(owner.ann)).toBe('number 2')
    expect(await counted(other.ann, 'read')).toBe(before)

    await choose(null)
    await until(async () => (await runsOf(other.admin))!.owner !== null, { what: 'one process runs it' })
    // They differ until both have heard of it.
    const read = ({ ann }: typeof owner) => counted(ann, 'read').catch(() => '')
    await until(async () => (await read(owner)) !== '' && (await read(owner)) === (await read(other)), {
      what: 'both call the same one',
    })
    const counting = await counted(owner.ann)
    expect(await counted(other.ann, 'read')).toBe(counting)
  })

  test('with more data than are kept, that is said until there are fewer', async () => {
    await using stage = await openCounterStage(database)
    const owner = await stage.first()
    await using _owner = owner.process
    await runCounter(owner.admin)
    const file = join(owner.process.dataFolder, 'modules/data/counter/large')
    await counted(owner.ann, 'read')
    await writeFile(file, '')
    await truncate(file, DATA_BYTES + 1)
    expect(await counted(owner.ann)).toBe('number 1')
    const problem = () => runsOf(owner.admin).then((runs) => runs!.data?.problem ?? null)
    expect(await until(problem, { what: 'that they are not kept' })).toContain('so they are not kept')
    expect(await counted(owner.ann)).toBe('number 2')
    await rm(file)
    await counted(owner.ann)
    await until(async () => (await problem()) === null, { what: 'they are kept again' })
    const other = await stage.another()
    await using _other = other.process
    await owner.process.kill('SIGTERM')
    expect(await counted(other.ann, 'read')).toBe('number 3')
  })
})
