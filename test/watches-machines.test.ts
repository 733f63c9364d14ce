import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { NewWatch } from '../contract/watches.ts'
import { makeAuthority } from '../server/certificates/make-certificate.ts'
import { type FleetStage, openFleet } from './stage/hosts/fleet-stage.ts'
import { noticesOf } from './stage/notifications/telling.ts'
import { openFolder } from './stage/open-folder.ts'
import { sshdMissing } from './stage/servers/ssh-server.ts'
import { databases } from './stage/servers/postgres.ts'
import { DISK, watching, type Watching } from './stage/watches/watch-stage.ts'

const DAY = 86_400_000
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

  const table = (tool: string, given: object, column: string, key: string): NewWatch['source'] => ({
    kind: 'table',
    module: 'system',
    tool,
    arguments: { ...given },
    machines: { of: 'tag', tag: 'web' },
    column,
    match: 'none',
    where: [],
    key,
  })
  /** Phases by machine and the end of what a row is called. */
  const rows = (seen: Awaited<ReturnType<Watching['read']>>) =>
    seen.subjects.map(({ machine, row, phase, problem }) =>
      [machine, basename(row), problem === null ? phase : `unknown, ${phase}`].join(' '),
    )

  test('certificates of several machines are followed file by file, until they are renewed', async () => {
    await using closing = new AsyncDisposableStack()
    const folder = await openFolder(closing)
    const write = async (name: string, days: number) => {
      const until = Date.now() + (days + 0.5) * DAY
      const { cert } = await makeAuthority(name, { from: Date.now() - DAY, to: until })
      await writeFile(join(folder, `${name}.pem`), cert)
    }
    await write('shop', 60)
    await write('mail', 5)
    const watched = await watch.add(fleet.admin, {
      name: 'Certificates',
      source: table('certificates', { paths: [folder] }, 'days', 'file'),
      condition: { is: 'below', bound: 14, back: 30, for_s: 0 },
      action: { ...DISK.action, on_recovery: true },
    })
    const { watch_id } = watched
    expect(watched.problem).toBe(null)
    expect(rows(watched).toSorted()).toEqual([
      'web-1 mail.pem crossed',
      'web-1 shop.pem ok',
      'web-2 mail.pem crossed',
      'web-2 shop.pem ok',
    ])
    expect(watched.subjects.find(({ row }) => row.endsWith('mail.pem'))).toMatchObject({ value: 5 })
    // Renewed for less than what counts as over.
    await write('mail', 20)
    expect(rows(await watch.later(fleet.admin, watch_id))).toContain('web-1 mail.pem crossed')
    await write('mail', 90)
    await write('shop', -1)
    expect(rows(await watch.later(fleet.admin, watch_id)).toSorted()).toEqual([
      'web-1 mail.pem ok',
      'web-1 shop.pem crossed',
      'web-2 mail.pem ok',
      'web-2 shop.pem crossed',
    ])
    const crossings = await watch.crossings(fleet.admin, watch_id)
    const lines = crossings.map(({ machine, row, value, ended }) => `${machine} ${basename(row)} ${value} ${ended}`)
    expect(lines.toSorted()).toEqual([
      'web-1 mail.pem 5 recovered',
      'web-1 shop.pem -1 null',
      'web-2 mail.pem 5 recovered',
      'web-2 shop.pem -1 null',
    ])
    const told = (await noticesOf(fleet.admin)).items.filter(({ name }) => name === 'Certificates')
    expect(told.map(({ event, detail }) => `${event} ${detail.count}`).toSorted()).toEqual([
      'watch_crossed 2',
      'watch_crossed 2',
      'watch_recovered 2',
    ])
    // Files are named nowhere outside of the pages: mail is not confidential.
    expect(JSON.stringify(told)).not.toContain('.pem')
  })

  test('folders of several machines are followed by their size; one that cannot be looked into is not known', async () => {
    await using closing = new AsyncDisposableStack()
    const folder = await openFolder(closing)
    const [cache, log] = [join(folder, 'cache'), join(folder, 'log')]
    for (const one of [cache, log]) await mkdir(one)
    await writeFile(join(log, 'big'), Buffer.alloc(4 * 1024 * 1024, 1))
    const { watch_id, ...watched } = await watch.add(fleet.admin, {
      name: 'Folders',
      source: table('disk_usage', { path: folder }, 'size', 'path'),
      condition: { is: 'above', bound: 2 * 1024 * 1024, back: null, for_s: 0 },
    })
    expect(rows({ watch_id, ...watched }).toSorted()).toEqual([
      'web-1 cache ok',
      'web-1 log crossed',
      'web-2 cache ok',
      'web-2 log crossed',
    ])
    await rename(folder, `${folder}-away`)
    const away = await watch.later(fleet.admin, watch_id)
    expect(rows(away)).toContain('web-1 log unknown, crossed')
    expect(away.counts).toMatchObject({ crossed: 2, unknown: 4 })
    await rename(`${folder}-away`, folder)
    await rm(join(log, 'big'))
    expect((await watch.later(fleet.admin, watch_id)).counts).toMatchObject({ crossed: 0, unknown: 0 })
    const crossings = await watch.crossings(fleet.admin, watch_id)
    expect(crossings.map(({ ended }) => ended)).toEqual(['recovered', 'recovered'])
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
