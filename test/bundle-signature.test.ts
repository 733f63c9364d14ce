import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { X509Certificate } from 'node:crypto'
import { signMcpbFile } from '@anthropic-ai/mcpb'
import { beforeAll, describe, expect, test } from 'vitest'
import { judgeSigner } from '../server/modules/bundle/signature/judge-signer.ts'
import { verifySignature } from '../server/modules/bundle/signature/verify-signature.ts'
import { openBundleStage } from './stage/modules/bundle-stage.ts'
import { makeKey, signatureBlock, signatureOf, type SigningKey } from './stage/modules/sign-bundle.ts'
import { saying } from './stage/saying.ts'

const stage = await openBundleStage()
const folder = stage.place('keys')
const content = stage.pack()
let ada: SigningKey
let signed: Buffer

async function check(bytes: Buffer, trusted: string[] = []) {
  return verifySignature(await stage.save(bytes), trusted)
}
const sign = async (bytes: Buffer, key: SigningKey, more: string[] = []): Promise<Buffer> =>
  Buffer.concat([bytes, signatureBlock(await signatureOf(bytes, folder, key, more))])

beforeAll(async () => {
  await mkdir(folder)
  ada = await makeKey(folder, 'Ada')
  signed = await sign(content, ada)
})

test('without a signature a bundle is unsigned', async () => {
  expect(await check(content)).toMatchObject({
    state: 'unsigned',
    signer: null,
    fingerprint: null,
    content_end: content.length,
  })
})

describe('a valid signature', () => {
  test('is trusted only when its certificate is', async () => {
    const identity = { signer: 'Ada', fingerprint: ada.fingerprint, content_end: content.length }
    expect(await check(signed)).toMatchObject({
      state: 'untrusted',
      ...identity,
      detail: saying('unknown here'),
    })
    expect(await check(signed, ['0'.repeat(64)])).toMatchObject({ state: 'untrusted' })
    expect(await check(signed, [ada.fingerprint])).toMatchObject({ state: 'trusted', ...identity })
  })

  test('as the packing tool of the format makes it', async () => {
    const path = await stage.save(content)
    signMcpbFile(path, ada.certificate, ada.key)
    expect(await verifySignature(path, [ada.fingerprint])).toMatchObject({ state: 'trusted', signer: 'Ada' })
    const { bundle } = await stage.unpack(await readFile(path), { trustedFingerprints: [ada.fingerprint] })
    expect(bundle.signature).toEqual({
      state: 'trusted',
      signer: 'Ada',
      fingerprint: ada.fingerprint,
      detail: saying(/./),
    })
  })

  test('where the comment of the archive was enlarged by the block, after signing or before', async () => {
    for (const comment of [Buffer.alloc(0), Buffer.from('a comment')]) {
      const plain = stage.pack([], { comment })
      const block = signatureBlock(await signatureOf(plain, folder, ada))
      const patched = Buffer.from(plain)
      patched.writeUInt16LE(comment.length + block.length, plain.length - comment.length - 2)
      const bytes = Buffer.concat([patched, block])
      expect(await check(bytes, [ada.fingerprint])).toMatchObject({ state: 'trusted', content_end: plain.length })
      const before = Buffer.concat([patched, signatureBlock(await signatureOf(patched, folder, ada))])
      expect(before.length).toBe(bytes.length)
      expect(await check(before, [ada.fingerprint])).toMatchObject({ state: 'trusted' })
      expect((await stage.unpack(bytes)).bundle.signature.state).toBe('untrusted')
      expect((await stage.unpack(before)).bundle.manifest.name).toBe('weather')
      patched[40]! ^= 1
      expect(await check(Buffer.concat([patched, block]))).toMatchObject({ state: 'invalid' })
    }
  })

  test('of other kinds of keys', async () => {
    const curve = await makeKey(folder, 'Curve', { kind: 'P-256' })
    expect(await check(await sign(content, curve), [curve.fingerprint])).toMatchObject({
      state: 'trusted',
      signer: 'Curve',
    })
    expect(await check(await sign(content, ada, ['-md', 'sha512']), [ada.fingerprint])).toMatchObject({
      state: 'trusted',
    })
    expect(await check(await sign(content, ada, ['-keyid']), [ada.fingerprint])).toMatchObject({ state: 'trusted' })
    const short = await makeKey(folder, 'Short', { kind: 'rsa:1024' })
    expect(await check(await sign(content, short), [short.fingerprint])).toMatchObject({
      state: 'invalid',
      detail: saying('1024'),
    })
  })

  test('is trusted through somebody who vouches for the signer', async () => {
    const root = await makeKey(folder, 'Root', { ca: true, usage: '' })
    const middle = await makeKey(folder, 'Middle', { by: root, ca: true, usage: '' })
    const leaf = await makeKey(folder, 'Leaf', { by: middle })
    const chain = `${folder}/chain.pem`
    await copyFile(middle.certificate, chain)
    const bytes = await sign(content, leaf, ['-certfile', chain])
    expect(await check(bytes, [middle.fingerprint])).toMatchObject({
      state: 'trusted',
      signer: 'Leaf',
      detail: saying('Middle'),
    })
    expect(await check(bytes, [leaf.fingerprint])).toMatchObject({ state: 'trusted' })
    // The root is not in the bundle: nothing shows that it vouches.
    expect(await check(bytes, [root.fingerprint])).toMatchObject({ state: 'untrusted' })

    const mail = await makeKey(folder, 'Mail', { by: middle, usage: 'emailProtection' })
    expect(await check(await sign(content, mail, ['-certfile', chain]), [middle.fingerprint])).toMatchObject({
      state: 'untrusted',
      detail: saying('not meant for signing programs'),
    })
    // Whoever has a certificate from a trusted one cannot make others with it.
    const child = await makeKey(folder, 'Child', { by: leaf })
    expect(await check(await sign(content, child, ['-certfile', leaf.certificate]), [leaf.fingerprint])).toMatchObject({
      state: 'untrusted',
    })
    // A trusted certificate that only lies beside vouches for nobody.
    expect(await check(await sign(content, ada, ['-certfile', root.certificate]), [root.fingerprint])).toMatchObject({
      state: 'untrusted',
      signer: 'Ada',
    })
  })

  test('by a certificate of another time is not trusted', async () => {
    const certificate = new X509Certificate(await readFile(ada.certificate))
    const pinned = new Set([ada.fingerprint])
    const judged = (now: Date) => judgeSigner(certificate, [certificate], pinned, now)
    expect(judged(new Date()).trusted).toBe(true)
    for (const days of [-2, 31]) {
      const { trusted, detail } = judged(new Date(Date.now() + days * 86_400_000))
      expect([trusted, detail]).toEqual([false, saying(/certificate of Ada is valid only from .* to/)])
    }
  })
})

describe('a signature is invalid', () => {
  test('when any byte of the bundle was changed', async () => {
    for (const at of [0, 35, content.length >> 1, content.length - 1]) {
      const changed = Buffer.from(signed)
      changed[at]! ^= 1
      expect(await check(changed, [ada.fingerprint])).toMatchObject({
        state: 'invalid',
        detail: saying('changed'),
      })
    }
  })

  test('when it belongs to another bundle', async () => {
    const other = stage.pack([{ name: 'more', data: 'x' }])
    const bytes = Buffer.concat([other, signed.subarray(content.length)])
    expect(await check(bytes, [ada.fingerprint])).toMatchObject({ state: 'invalid', signer: 'Ada' })
    expect((await stage.unpack(bytes, { trustedFingerprints: [ada.fingerprint] })).bundle.signature.state).toBe(
      'invalid',
    )
  })

  test('when it is no signature, carries content, has no attributes or no certificate', async () => {
    const states = []
    const nested = Buffer.alloc(60_000, Buffer.from([0x30, 0x80]))
    for (const der of [
      Buffer.from('nonsense'),
      Buffer.alloc(0),
      nested,
      await signatureOf(content, folder, ada, ['-nodetach']),
      await signatureOf(content, folder, ada, ['-noattr']),
      await signatureOf(content, folder, ada, ['-nocerts']),
    ])
      states.push((await check(Buffer.concat([content, signatureBlock(der)]), [ada.fingerprint])).state)
    expect(states).toEqual(Array.from({ length: 6 }, () => 'invalid'))
  })

  test('when the signature itself was changed', async () => {
    for (const from of [20, 30, 60]) {
      const changed = Buffer.from(signed)
      changed[changed.length - from]! ^= 1
      expect(await check(changed, [ada.fingerprint])).toMatchObject({ state: 'invalid' })
    }
  })
})

describe('a signature block is refused', () => {
  test('with anything behind it', async () => {
    const bytes = Buffer.concat([signed, stage.pack()])
    expect(await check(bytes)).toMatchObject({ state: 'unsigned', content_end: bytes.length })
    await expect(stage.unpack(bytes)).rejects.toMatchObject({ code: 'bad_archive' })
    await expect(stage.unpack(Buffer.concat([signed, Buffer.from('\0')]))).rejects.toMatchObject({
      code: 'bad_archive',
    })
  })

  test('of a length that does not fit, or that can be read in two ways', async () => {
    const wrong = Buffer.from(signed)
    wrong.writeUInt32LE(5, content.length + 11)
    await expect(check(wrong)).rejects.toMatchObject({
      code: 'bad_archive',
      message: expect.stringContaining('damaged'),
    })
    const inner = signatureBlock(await signatureOf(content, folder, ada))
    // A block whose signature ends in a whole block: both begin where a reader may look.
    const outer = Buffer.concat([Buffer.from('MCPB_SIG_V1'), Buffer.alloc(4), inner])
    outer.writeUInt32LE(inner.length - 12, 11)
    await expect(check(Buffer.concat([content, outer]))).rejects.toThrow('more than one way')
    await expect(check(Buffer.from('MCPB_SIG_END'))).rejects.toMatchObject({ code: 'bad_archive' })
  })
})
