import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { aboutRoutes } from '../server/app/about.ts'
import type { Licences } from '../web/help/load-licences.ts'
import { startTestApp } from './stage/app.ts'
import { databases } from './stage/servers/postgres.ts'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
  dependencies: Record<string, string>
}

test.each(databases)('everybody reads the version; what it runs on is for administrators ($name)', async (database) => {
  await using app = await startTestApp({ database })
  const admin = await (await app.as('admin')).call(contract.about.about)
  expect(admin).toMatchObject({
    name: 'Reeve',
    version: manifest.version,
    licence: 'Apache-2.0',
    internals: { node: process.version, database: database.name === 'sqlite' ? 'sqlite' : 'postgresql' },
  })
  expect(Date.parse(admin.internals!.started_at)).toBeLessThanOrEqual(Date.now())
  const ann = await (await app.as('ann')).fetch('/api/about')
  expect(await ann.json()).toEqual({ name: 'Reeve', version: manifest.version, licence: 'Apache-2.0', internals: null })
})

test('a build that is missing or broken is no fault', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-build-'))
  try {
    const path = join(folder, 'build.json')
    const internals = async (): Promise<unknown> => {
      const { about } = aboutRoutes({ version: '1', database: 'sqlite', buildFile: pathToFileURL(path) })
      return (await about({ caller: { admin: true } } as Parameters<typeof about>[0])).internals
    }
    const nothing = { commit: null, built_at: null }
    expect(await internals()).toMatchObject(nothing)
    for (const broken of ['', '{', '[]', '{"commit":1,"built_at":null}', '{"commit":null,"built_at":"yesterday"}']) {
      await writeFile(path, broken)
      expect(await internals()).toMatchObject(nothing)
    }
    const build = { commit: 'a'.repeat(40), built_at: '2027-01-01T00:00:00.000Z' }
    await writeFile(path, JSON.stringify(build))
    expect(await internals()).toMatchObject(build)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('every library of the product has a licence, and nearly all their text', async () => {
  // Plain JavaScript, because the build runs before anything is installed that could read types.
  const script: string = new URL('../scripts/licences.mjs', import.meta.url).href
  const { readLicences } = (await import(script)) as { readLicences(): Licences }
  const { packages, texts } = readLicences()
  expect(Object.keys(manifest.dependencies).filter((name) => !packages.some((each) => each.name === name))).toEqual([])
  expect(packages.filter(({ licence }) => licence === '')).toEqual([])
  expect(packages.filter(({ text }) => text !== null && !texts[text])).toEqual([])
  expect(packages.filter(({ text, link }) => text === null && link === null)).toEqual([])
  expect(packages.filter(({ text }) => text === null).length).toBeLessThan(packages.length / 10)
})
