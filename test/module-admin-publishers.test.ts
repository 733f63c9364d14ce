import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import { install, makeBundle, type BundleOptions } from './stage/modules/module-bundles.ts'
import { makeKey, signatureBlock, signatureOf, type SigningKey } from './stage/modules/sign-bundle.ts'

const { modules } = contract
const params = { module_name: 'plain' }

let app: TestApp
let admin: TestClient
let folder: string
let ours: SigningKey
let theirs: SigningKey
let authority: SigningKey
let vouchedFor: SigningKey
beforeAll(async () => {
  app = await startTestApp()
  admin = await app.as('admin')
  folder = await mkdtemp(join(tmpdir(), 'reeve-keys-'))
  ours = await makeKey(folder, 'ours')
  theirs = await makeKey(folder, 'theirs')
  authority = await makeKey(folder, 'authority', { ca: true, usage: '' })
  vouchedFor = await makeKey(folder, 'vouched', { by: authority })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

async function signed(by: SigningKey, options: BundleOptions): Promise<Buffer> {
  const bundle = await makeBundle(options)
  const more = by === vouchedFor ? ['-certfile', authority.certificate] : []
  return Buffer.concat([bundle, signatureBlock(await signatureOf(bundle, folder, by, more))])
}
const policy = (signers: SigningKey[]) =>
  admin.call(modules.savePolicy, {
    body: {
      least_isolation: { trusted: 'process', untrusted: 'process' },
      memory_mib: 1024,
      signers: signers.map(({ fingerprint }) => ({ fingerprint, name: 'Somebody' })),
    },
  })
const signature = async () => (await admin.call(modules.module, { params })).module.versions[0]!.signature

test('who signed a module is shown; nobody else signs its upgrades', async () => {
  const { module } = await install(admin, await signed(ours, {}))
  expect(module.versions[0]!.signature).toMatchObject({ state: 'untrusted', fingerprint: ours.fingerprint })
  for (const other of [await makeBundle({ version: '2.0.0' }), await signed(theirs, { version: '2.0.0' })]) {
    await expect(install(admin, other)).rejects.toMatchObject({ status: 409, code: 'publisher_changed' })
  }
  const answer = await install(admin, await signed(ours, { version: '2.0.0' }))
  expect(answer.module.version).toBe('2.0.0')
})

test('a bundle that was changed after it was signed counts as signed by nobody', async () => {
  const bundle = await signed(ours, { version: '3.0.0' })
  // The time of its first entry, which no checksum of the archive covers: it unpacks as before, and is signed by nobody.
  const changed = Buffer.from(bundle)
  changed.writeUInt8(changed.readUInt8(10) ^ 1, 10)
  await expect(install(admin, changed)).rejects.toMatchObject({ status: 409, code: 'publisher_changed' })
})

test('trust follows the policy at once, for installed modules too', async () => {
  await policy([ours])
  expect(await signature()).toMatchObject({ state: 'trusted', fingerprint: ours.fingerprint })
  await policy([theirs])
  expect(await signature()).toMatchObject({ state: 'untrusted' })
  await policy([])
  await install(admin, await signed(vouchedFor, { name: 'other' }))
  const other = async () =>
    (await admin.call(modules.module, { params: { module_name: 'other' } })).module.versions[0]!.signature.state
  expect(await other()).toBe('untrusted')
  await policy([authority])
  expect(await other()).toBe('trusted')
  await policy([])
  expect(await other()).toBe('untrusted')
})
