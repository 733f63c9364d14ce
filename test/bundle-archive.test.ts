import { lstat, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { BundleError } from '../server/modules/bundle/bundle-error.ts'
import { unpackBundle } from '../server/modules/bundle/archive/unpack-bundle.ts'
import { ENTRIES, openBundleStage } from './stage/modules/bundle-stage.ts'
import { sizesBehind, zipBytes, type ZipEntry } from './stage/documents/zip-bytes.ts'

const stage = await openBundleStage()

async function refusal(bytes: Buffer): Promise<BundleError> {
  const error: unknown = await stage.unpack(bytes).then(
    () => 'it was accepted',
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(BundleError)
  return error as BundleError
}

const DEFLATED = deflateRawSync(Buffer.from('hello hello'))

describe('an archive is accepted', () => {
  test('with folders, executables, data descriptors, a comment and sizes in ZIP64', async () => {
    const entries: ZipEntry[] = [
      { name: 'server/' },
      { name: 'bin/run', data: 'x', mode: 0o104755 },
      { name: 'a.txt', data: 'hello hello', flags: 0x808, behind: sizesBehind('hello hello', DEFLATED) },
      { name: 'b.txt', data: 'hello hello', flags: 0x808, behind: sizesBehind('hello hello', DEFLATED, false) },
      { name: 'empty', data: '', flags: 0x808 },
      { name: 'ünïcode/日本.txt', data: 'y', flags: 0 },
      { name: 'script', data: '#!/bin/sh\n' },
    ]
    for (const lies of [{}, { comment: Buffer.from('made by hand') }, { zip64: {} }]) {
      const { folder, bundle } = await stage.unpack(stage.pack(entries, lies))
      expect(Object.keys(bundle.files)).toEqual([
        'a.txt',
        'b.txt',
        'bin/run',
        'empty',
        'manifest.json',
        'script',
        'server/index.js',
        'ünïcode/日本.txt',
      ])
      expect(bundle.slug).toBe('weather')
      expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('hello hello')
      const mode = async (path: string): Promise<number> => (await lstat(join(folder, path))).mode & 0o7777
      expect(await mode('bin/run')).toBe(0o555)
      expect(await mode('script')).toBe(0o555)
      expect(await mode('a.txt')).toBe(0o444)
      expect(await mode('server')).toBe(0o555)
      expect(await mode('.')).toBe(0o555)
    }
  })

  test('and large entries come out whole', async () => {
    const large = Buffer.alloc(3 * 1024 * 1024, 'some text that repeats, but not too well: ')
    for (let at = 0; at < large.length; at += 97) large[at] = (at * 31) & 0xff
    const { folder } = await stage.unpack(
      stage.pack([
        { name: 'l', data: large },
        { name: 's', data: large, store: true },
      ]),
    )
    expect((await readFile(join(folder, 'l'))).equals(large)).toBe(true)
    expect((await readFile(join(folder, 's'))).equals(large)).toBe(true)
  })

  test('with a signature mark, or a whole archive, inside an entry', async () => {
    const inner = stage.pack()
    const data = Buffer.concat([Buffer.from('MCPB_SIG_V1\x04\0\0\0abcdMCPB_SIG_END'), inner])
    const { bundle } = await stage.unpack(stage.pack([{ name: 'inner.zip', data, store: true }]))
    expect(bundle.signature.state).toBe('unsigned')
  })
})

describe('an entry is refused', () => {
  const hard = Buffer.alloc(4 + 14)
  hard.writeUInt16LE(0x000d, 0)
  hard.writeUInt16LE(14, 2)
  const otherName = Buffer.concat([Buffer.from([0x75, 0x70, 13, 0, 1]), Buffer.alloc(4), Buffer.from('evil.js!')])
  otherName.writeUInt32LE(crc32(Buffer.from('a.js')), 5)

  test.each<[string, ZipEntry, RegExp]>([
    ['above', { name: '../x', data: 'x' }, /“\.\.\/x” leads out of the bundle/],
    ['above, further in', { name: 'a/../../x', data: 'x' }, /leads out/],
    ['absolute', { name: '/etc/passwd', data: 'x' }, /absolute path/],
    ['drive', { name: 'C:/x', data: 'x' }, /drive letter/],
    ['UNC', { name: '\\\\host\\x', data: 'x' }, /backslash/],
    ['backslash', { name: 'a\\..\\x', data: 'x' }, /backslash/],
    ['NUL', { name: 'a\0.js', data: 'x' }, /NUL/],
    ['control', { name: 'a\x1b[2Jb', data: 'x' }, /control character/],
    ['line break', { name: 'a\nb', data: 'x' }, /control character/],
    ['bidi', { name: 'a\u202egpj.js', data: 'x' }, /invisible or direction-changing/],
    ['zero width', { name: 'a\u200bb', data: 'x' }, /invisible/],
    ['not UTF-8', { name: Buffer.from([0x61, 0xff, 0xfe]), data: 'x' }, /not UTF-8/],
    ['no name', { name: '', data: 'x' }, /has no name/],
    ['only a slash', { name: '/', data: '' }, /has no name|absolute/],
    ['dot', { name: './a', data: 'x' }, /empty or “\.” part/],
    ['two slashes', { name: 'a//b', data: 'x' }, /empty or “\.” part/],
    ['long', { name: `${'a/'.repeat(30)}${'b'.repeat(1000)}`, data: 'x' }, /more than 1024 bytes/],
    ['long part', { name: 'b'.repeat(300), data: 'x' }, /part of more than 255/],
    ['deep', { name: `${'a/'.repeat(60)}b`, data: 'x' }, /folders deep/],
    ['symbolic link', { name: 'link', data: '/etc/passwd', mode: 0o120777 }, /symbolic link/],
    ['device', { name: 'dev', data: '', mode: 0o020666 }, /device/],
    ['block device', { name: 'dev', data: '', mode: 0o060666 }, /device/],
    ['pipe', { name: 'fifo', data: '', mode: 0o010666 }, /named pipe/],
    ['socket', { name: 'socket', data: '', mode: 0o140666 }, /socket/],
    ['file as a folder', { name: 'x/', data: '', mode: 0o100644 }, /both a file and a folder/],
    ['folder as a file', { name: 'x', data: '', mode: 0o040755 }, /both a file and a folder/],
    ['folder with content', { name: 'x/', data: 'content' }, /folder with content/],
    ['hard link', { name: 'hard', data: '', extra: hard }, /is a link/],
    ['second name', { name: 'a.js', data: 'x', extra: otherName }, /two names/],
    ['encrypted', { name: 'secret', data: 'x', flags: 0x801 }, /encrypted/],
    ['strongly encrypted', { name: 'secret', data: 'x', flags: 0x841 }, /encrypt/],
    ['encrypted before its data only', { name: 'secret', data: 'x', localFlags: 0x801 }, /encrypted/],
    ['unknown method', { name: 'x', data: 'x', method: 12 }, /method 12/],
    ['twice', { name: 'server/index.js', data: 'other' }, /“server\/index\.js” appears twice/],
    ['a second manifest', { name: 'manifest.json', data: '{}' }, /appears twice/],
    ['case', { name: 'Manifest.json', data: '{}' }, /differ only in case or spelling/],
    ['case of a folder', { name: 'Server/x.js', data: '{}' }, /differ only in case/],
    ['file where a folder is', { name: 'server', data: 'x' }, /both a file and a folder/],
    ['folder where a file is', { name: 'manifest.json/x', data: 'x' }, /both a file and a folder/],
    ['other name before its data', { name: 'a.js', localName: 'b.js', data: 'x' }, /different name before its data/],
    ['larger than said', { name: 'x', data: 'hello hello', size: 4, localSize: 4 }, /larger than the archive says/],
    [
      'smaller than said',
      { name: 'x', data: 'hello hello', size: 400, localSize: 400 },
      /smaller than the archive says/,
    ],
    ['two sizes', { name: 'x', data: 'hello hello', localSize: 400 }, /different sizes before its data/],
    ['stored, two sizes', { name: 'x', data: 'hello', store: true, size: 4 }, /damaged|sizes/],
    ['wrong checksum', { name: 'x', data: 'hello', crc: 1 }, /checksum/],
    ['not packed data', { name: 'x', data: 'hello', packed: Buffer.from([0xff, 0xff, 0xff]) }, /cannot be unpacked/],
    [
      'hidden data',
      { name: 'x', data: 'hello hello', packed: Buffer.concat([DEFLATED, Buffer.from('hidden')]) },
      /followed by unknown data/,
    ],
    ['data behind', { name: 'x', data: 'hello', behind: Buffer.from('more') }, /followed by unknown data/],
    [
      'wrong sizes behind',
      { name: 'x', data: 'hello hello', flags: 0x808, behind: sizesBehind('hello hellO', DEFLATED) },
      /different sizes after/,
    ],
    ['shared data', { name: 'x', data: 'x', offset: 0 }, /different name|overlaps/],
    ['far away', { name: 'x', data: 'x', offset: 0x7fffffff }, /followed by unknown data|points past/],
  ])('%s', async (_, entry, reason) => {
    const error = await refusal(stage.pack([entry]))
    expect(error.code).toBe('bad_archive')
    expect(error.message).toMatch(reason)
    expect(error.message).not.toMatch(/[^\P{Cc}]|\u202e/u)
  })

  test('that is the same as another but for its Unicode normalisation', async () => {
    const { message } = await refusal(
      stage.pack([
        { name: 'caf\u00e9.js', data: 'a' },
        { name: 'cafe\u0301.js', data: 'b' },
      ]),
    )
    expect(message).toMatch(/differ only in case or spelling/)
  })

  test('with a link first and a file through it, and nothing is written outside', async () => {
    const target = stage.place('outside')
    await refusal(
      stage.pack([
        { name: 'l', data: target, mode: 0o120777 },
        { name: 'l/x', data: 'x' },
      ]),
    )
    await expect(lstat(target)).rejects.toThrow('ENOENT')
  })
})

describe('an archive is refused', () => {
  const other = zipBytes([{ name: 'manifest.json', data: '{"other":true}' }])
  const good = zipBytes(ENTRIES)
  const end = Buffer.from(good.subarray(good.length - 22))
  test.each<[string, Buffer, RegExp]>([
    ['nothing', Buffer.alloc(0), /not a ZIP archive/],
    ['something else', Buffer.from('\x7fELF this is no archive at all, really'), /not a ZIP archive/],
    ['gzip', Buffer.from('1f8b0800000000000003', 'hex'), /not a ZIP archive/],
    ['data before', zipBytes(ENTRIES, { before: Buffer.from('#!/bin/sh\n') }), /data before the archive/],
    [
      'data before, offsets unchanged',
      Buffer.concat([Buffer.from('#!/bin/sh\n'), good]),
      /data before|damaged|cut off/,
    ],
    ['data behind', zipBytes(ENTRIES, { behind: Buffer.from('x') }), /data after the end/],
    ['data between', zipBytes(ENTRIES, { between: Buffer.from('x') }), /followed by unknown data/],
    [
      'data behind the directory',
      zipBytes(ENTRIES, { behindDirectory: Buffer.from('xx') }),
      /data before the archive or after/,
    ],
    ['a second archive behind', Buffer.concat([good, other]), /data before/],
    ['a second archive in the comment', zipBytes(ENTRIES, { comment: other }), /data before|two/],
    ['a second end record in the comment', zipBytes(ENTRIES, { comment: end }), /data before|damaged|after/],
    [
      'an end record and more in the comment',
      zipBytes(ENTRIES, { comment: Buffer.concat([end, Buffer.from('xyz')]) }),
      /data after the end/,
    ],
    ['cut off', good.subarray(0, good.length - 10), /cut off/],
    ['cut in the middle', good.subarray(0, good.length >> 1), /not a ZIP archive, or it is cut off/],
    ['comment cut off', zipBytes(ENTRIES, { commentLength: 9 }), /cut off/],
    ['too few entries named', zipBytes(ENTRIES, { count: 1, countOnDisk: 1 }), /lists too few entries/],
    ['too many entries named', zipBytes(ENTRIES, { count: 3, countOnDisk: 3 }), /damaged/],
    ['two counts', zipBytes(ENTRIES, { count: 2, countOnDisk: 1 }), /two different/],
    ['several disks', zipBytes(ENTRIES, { disk: 1 }), /one part of several/],
    ['directory elsewhere', zipBytes(ENTRIES, { directoryOffset: 0 }), /data before the archive or after/],
    ['directory behind the end', zipBytes(ENTRIES, { directoryOffset: 0x7fffffff }), /points past its own end/],
    ['ZIP64 with another count', zipBytes(ENTRIES, { zip64: { lie: 1, plain: true } }), /two different/],
    ['ZIP64 with another count only', zipBytes(ENTRIES, { zip64: { lie: 1 } }), /lists too few|damaged/],
    ['ZIP64 with a huge count', zipBytes(ENTRIES, { zip64: { lie: 2 ** 40 } }), /more than 50000 entries/],
  ])('%s', async (_, bytes, reason) => {
    expect((await refusal(bytes)).message).toMatch(reason)
  })

  test('that grows too much, before anything is written', async () => {
    const zeros = Buffer.alloc(24 * 1024 * 1024)
    const bomb = stage.pack([{ name: 'bomb', data: zeros }])
    const folder = await stage.emptyFolder()
    await expect(unpackBundle(await stage.save(bomb), folder)).rejects.toMatchObject({
      code: 'archive_too_large',
      entry: 'bomb',
      message: expect.stringContaining('200 times'),
    })
    expect(await readdir(folder)).toEqual([])
    const many = Array.from({ length: 40 }, (_, at) => ({ name: `f${at}`, data: zeros.subarray(0, 1024 * 1024) }))
    await expect(stage.unpack(stage.pack(many))).rejects.toMatchObject({ code: 'archive_too_large' })
  })

  test('that is larger than allowed: unpacked, in entries, packed', async () => {
    const three = stage.pack([{ name: 'x', data: 'hello' }])
    await expect(stage.unpack(three, { unpackedBytes: 100 })).rejects.toMatchObject({ code: 'archive_too_large' })
    await expect(stage.unpack(three, { entries: 2 })).rejects.toMatchObject({ code: 'archive_too_large' })
    await expect(stage.unpack(three, { packedBytes: 100 })).rejects.toMatchObject({ code: 'payload_too_large' })
    // Few entries can name many folders on their way.
    const deep = Array.from({ length: 10 }, (_, at) => ({ name: `${`${at}/`.repeat(30)}x`, data: 'x' }))
    await expect(stage.unpack(stage.pack(deep), { entries: 100 })).rejects.toMatchObject({ code: 'archive_too_large' })
    const claims = stage.pack([{ name: 'x', data: 'hello', size: 0x7fffffff, localSize: 0x7fffffff }])
    await expect(stage.unpack(claims)).rejects.toMatchObject({ code: 'archive_too_large' })
  })

  test('whose folder is not empty', async () => {
    const folder = await stage.emptyFolder()
    await writeFile(join(folder, 'manifest.json'), 'precious')
    await expect(unpackBundle(await stage.save(stage.pack()), folder)).rejects.toThrow('not empty')
    expect(await readFile(join(folder, 'manifest.json'), 'utf8')).toBe('precious')
  })
})

describe('a manifest is missed', () => {
  test.each<[string, ZipEntry[], RegExp]>([
    ['altogether', [{ name: 'x', data: 'x' }], /no “manifest\.json”/],
    [
      'one folder down',
      [{ name: 'weather/manifest.json', data: '{}' }],
      /one folder down, at “weather\/manifest\.json”/,
    ],
    ['by its case', [{ name: 'MANIFEST.json', data: '{}' }], /“manifest\.json”, not “MANIFEST\.json”/],
    ['for a folder', [{ name: 'manifest.json/', data: '' }], /is a folder/],
    [
      'for its size',
      [{ name: 'manifest.json', data: Buffer.alloc(1024 * 1024 + 1, ' '), store: true }],
      /larger than 1 MiB/,
    ],
  ])('%s', async (_, entries, reason) => {
    const error = await refusal(zipBytes(entries))
    expect(error.code).toBe('bad_manifest')
    expect(error.message).toMatch(reason)
  })
})
