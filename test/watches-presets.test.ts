import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp } from './stage/app.ts'
import { databases } from './stage/servers/postgres.ts'
import { startProcess } from './stage/process.ts'
import { watching } from './stage/watches/watch-stage.ts'

const { listWatches, removeWatch, updateWatch } = contract.watches

describe.each(databases)('what every installation begins with, on $name', (database) => {
  test('four watches of all administrators, which the dashboard shows, and which are off with one request', async () => {
    await using app = await startTestApp({ database })
    const [admin, ann] = [await app.as('admin'), await app.as('ann')]
    const watch = watching(app)
    const { items } = await admin.call(listWatches)
    expect(items.map(({ preset, enabled, shared, action }) => [preset, enabled, shared, action.tell?.to])).toEqual([
      ['backup', true, true, 'administrators'],
      ['certificate', true, true, 'administrators'],
      ['disk', true, true, 'administrators'],
      ['services', true, true, 'administrators'],
    ])
    expect((await ann.call(listWatches)).items).toEqual([])
    const idOf = (preset: string) => items.find((one) => one.preset === preset)!.watch_id

    await watch.disk(95)
    await watch.later(admin, idOf('disk'))
    await watch.later(admin, idOf('disk'), 11 * 60_000)
    await watch.later(admin, idOf('services'))
    expect((await watch.read(admin, idOf('services'))).subjects).toMatchObject([{ value: 0, phase: 'ok' }])
    expect((await watch.later(admin, idOf('backup'))).subjects).toMatchObject([{ machine: '', value: 0 }])
    // Without a certificate there is nothing that could expire, and nothing that is not known.
    expect((await watch.later(admin, idOf('certificate'))).counts).toEqual({
      crossed: 0,
      pending: 0,
      unknown: 0,
      all: 0,
    })
    const { source, condition } = items.find((one) => one.preset === 'certificate')!
    expect(await admin.call(contract.watches.tryWatch, { body: { source, condition } })).toMatchObject({
      problem: null,
      all: 0,
    })
    const warnings = async () => (await admin.call(contract.dashboard.dashboard)).warnings
    const own = (await warnings()).filter(({ code }) => code.startsWith('disk_'))
    const crossed = (await warnings()).filter(({ code }) => code === 'watch_crossed')
    // Of this machine the dashboard may say it already.
    expect(crossed).toEqual(
      own.length > 0 ? [] : [expect.objectContaining({ preset: 'disk', machines: ['local'], level: 'warn' })],
    )

    const params = { watch_id: idOf('disk') }
    await expect(ann.call(updateWatch, { params, body: { enabled: false } })).rejects.toMatchObject({ status: 404 })
    await expect(admin.call(removeWatch, { params })).rejects.toMatchObject({ code: 'watch_preset' })
    await expect(admin.call(updateWatch, { params, body: { name: 'Mine' } })).rejects.toMatchObject({
      code: 'watch_preset',
    })
    await admin.call(updateWatch, { params, body: { enabled: false } })
    expect((await warnings()).filter(({ code }) => code === 'watch_crossed')).toEqual([])
  })

  test('what is off stays off after another start', async () => {
    await using service = await startProcess({ database })
    const admin = await service.as('admin')
    const { items } = await admin.call(listWatches)
    for (const { watch_id } of items) await admin.call(updateWatch, { params: { watch_id }, body: { enabled: false } })
    await service.restart()
    const after = await admin.call(listWatches)
    expect(after.items.map(({ enabled }) => enabled)).toEqual([false, false, false, false])
  })
})
