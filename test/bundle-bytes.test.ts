import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BundleError } from '../server/modules/bundle/bundle-error.ts'
import { parseManifest } from '../server/modules/bundle/manifest/parse-manifest.ts'
import { removeTree } from '../server/modules/bundle/archive/remove-tree.ts'
import { MANIFEST, openBundleStage } from './stage/modules/bundle-stage.ts'
import { signatureBlock } from './stage/modules/sign-bundle.ts'

const stage = await openBundleStage()
const BUNDLE = Buffer.concat([
  stage.pack([
    { name: 'server/lib/' },
    { name: 'server/lib/data.txt', data: 'some text, some text, some text' },
    { name: 'x', data: 'x', store: true },
  ]),
  signatureBlock(Buffer.from('3003020101', 'hex')),
])
const PATHS = ['manifest.json', 'server/index.js', 'server/lib/data.txt', 'x']

/** Unpacks; null when it was refused as bundles are refused. Anything else that is thrown is a fault. */
async function attempt(bytes: Buffer) {
  const beside = (await readdir(stage.root)).length
  try {
    const { bundle, folder } = await stage.unpack(bytes)
    await removeTree(folder)
    return bundle
  } catch (error) {
    if (!(error instanceof BundleError)) throw error
    return null
  } finally {
    for (const name of (await readdir(stage.root)).slice(beside)) await removeTree(`${stage.root}/${name}`)
    expect(await readdir(dirname(stage.root))).not.toContain('server')
  }
}

test('a bundle with changed bytes is refused or holds the same files, and nothing else happens', async () => {
  expect(Object.keys((await attempt(BUNDLE))!.files)).toEqual(PATHS)
  const change = fc.record({ at: fc.nat(BUNDLE.length - 1), byte: fc.integer({ min: 1, max: 255 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      const bytes = Buffer.from(BUNDLE)
      for (const { at, byte } of changes) bytes[at]! ^= byte
      const bundle = await attempt(bytes)
      for (const path of Object.keys(bundle?.files ?? {})) expect(path).not.toMatch(/^\/|\.\.|[\\\0]/)
      if (bundle !== null) expect(Object.keys(bundle.files)).toHaveLength(PATHS.length)
    }),
    { numRuns: 600 },
  )
})

test('a bundle cut, or with bytes put in, is refused', async () => {
  expect((await attempt(BUNDLE))!.signature.state).toBe('invalid')
  await fc.assert(
    fc.asyncProperty(
      fc.nat(BUNDLE.length - 1),
      fc.nat(300),
      fc.uint8Array({ maxLength: 40 }),
      async (at, cut, added) => {
        fc.pre(cut !== 0 || added.length !== 0)
        const bytes = Buffer.concat([BUNDLE.subarray(0, at), added, BUNDLE.subarray(at + cut)])
        fc.pre(!bytes.equals(BUNDLE))
        const bundle = await attempt(bytes)
        // Only what lies in the signature may change: then it is invalid.
        if (bundle !== null) expect(bundle.signature.state).not.toBe('trusted')
      },
    ),
    { numRuns: 300 },
  )
})

test('any bytes are a manifest or are refused with a sentence', () => {
  const text = JSON.stringify({
    ...MANIFEST,
    user_config: { a: { type: 'number', title: 'A', description: 'A', default: 1 } },
  })
  const read = (bytes: Uint8Array): void => {
    try {
      parseManifest(bytes)
    } catch (error) {
      expect(error).toBeInstanceOf(BundleError)
      expect((error as BundleError).message).toMatch(/^“manifest\.json”.*\.$/s)
    }
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), read))
  fc.assert(fc.property(fc.json(), (json) => read(Buffer.from(json))))
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.string({ maxLength: 5 }), (at, put) =>
      read(Buffer.from(text.slice(0, at) + put + text.slice(at + 1))),
    ),
    { numRuns: 1000 },
  )
})
