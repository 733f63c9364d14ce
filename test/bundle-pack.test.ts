import { chmod, cp, mkdir, readFile, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MANIFEST_SCHEMAS, packExtension } from '@anthropic-ai/mcpb'
import { describe, expect, test } from 'vitest'
import { checkIntegrity } from '../server/modules/bundle/signature/check-integrity.ts'
import { lintManifest } from '../server/modules/bundle/lint/lint-manifest.ts'
import { packFolder } from '../server/modules/bundle/archive/pack-folder.ts'
import { readIcon } from '../server/modules/bundle/manifest/read-icon.ts'
import { removeTree } from '../server/modules/bundle/archive/remove-tree.ts'
import { unpackBundle } from '../server/modules/bundle/archive/unpack-bundle.ts'
import { MANIFEST, manifestOf, openBundleStage } from './stage/modules/bundle-stage.ts'

const stage = await openBundleStage()

async function folderOf(files: Record<string, string | Buffer>): Promise<string> {
  const folder = await stage.emptyFolder()
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}
const SOURCE = {
  'manifest.json': JSON.stringify(MANIFEST),
  'server/index.js': 'x',
  'server/lib/a.js': 'a',
  'bin/run': '#!/bin/sh\n',
}

describe('a folder is packed', () => {
  test('and unpacked again as it was', async () => {
    const folder = await folderOf(SOURCE)
    await chmod(join(folder, 'bin/run'), 0o755)
    const out = stage.place('out.mcpb')
    const packed = await packFolder(folder, out)
    expect(packed.files).toEqual(Object.keys(SOURCE).sort())
    const target = await stage.emptyFolder()
    const bundle = await unpackBundle(out, target)
    expect(bundle).toMatchObject({ digest: packed.digest, size: packed.size, manifest: MANIFEST })
    expect(Object.keys(bundle.files)).toEqual(packed.files)
    for (const [path, content] of Object.entries(SOURCE))
      expect(await readFile(join(target, path), 'utf8')).toBe(content)
    await expect(packFolder(folder, out)).rejects.toThrow('EEXIST')
  })

  test('to the same bytes, wherever and whenever', async () => {
    const folder = await folderOf(SOURCE)
    const first = await packFolder(folder, stage.place('a.mcpb'))
    const copy = stage.place('copy')
    await cp(folder, copy, { recursive: true })
    await utimes(join(copy, 'manifest.json'), 1, 1)
    const zone = process.env['TZ']
    process.env['TZ'] = 'Asia/Tokyo'
    const second = await packFolder(copy, stage.place('b.mcpb'))
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
    expect(second.digest).toBe(first.digest)
  })

  test('without what is ignored', async () => {
    const folder = await folderOf({
      ...SOURCE,
      '.mcpbignore': '# a comment\n/build/\n*.tmp\ntests\nserver/**/*.md\n!keep.tmp\nsrc/*.ts\nname\\[1\\]\n[ab].txt\n',
      'build/x': '',
      'server/build/x': '',
      'a.tmp': '',
      'deep/er/b.tmp': '',
      'keep.tmp': '',
      'deep/tests/x': '',
      'server/x.md': '',
      'server/a/b/x.md': '',
      'x.md': '',
      'src/a.ts': '',
      'src/more/a.ts': '',
      'name[1]': '',
      'a.txt': '',
      'c.txt': '',
      '.git/HEAD': '',
      '.env': 'SECRET=1',
      '.env.local': '',
      'sub/.env': '',
      'old.mcpb': '',
      'node_modules/.bin/x': '',
      'node_modules/a/i.js': '',
      'node_modules/a/node_modules/.bin/x': '',
    })
    const { files } = await packFolder(folder, stage.place('x.mcpb'))
    expect(files).toEqual(
      [
        'bin/run',
        'c.txt',
        'keep.tmp',
        'manifest.json',
        'node_modules/a/i.js',
        'server/build/x',
        'server/index.js',
        'server/lib/a.js',
        'src/more/a.ts',
        'x.md',
      ].sort(),
    )
  })

  test('never with a link in it', async () => {
    const folder = await folderOf(SOURCE)
    await symlink('/etc/passwd', join(folder, 'link'))
    await expect(packFolder(folder, stage.place('x.mcpb'))).rejects.toMatchObject({
      code: 'bad_archive',
      entry: 'link',
    })
  })

  test('by the packing tool of the format, and unpacked here', async () => {
    const folder = await folderOf(SOURCE)
    const outputPath = stage.place('oracle.mcpb')
    expect(await packExtension({ extensionPath: folder, outputPath, silent: true })).toBe(true)
    const bundle = await unpackBundle(outputPath, await stage.emptyFolder())
    expect(Object.keys(bundle.files)).toEqual(Object.keys(SOURCE).sort())
  })
})

test('an author hears of an error exactly where the strict schemas of the format refuse', () => {
  const cases: Record<string, unknown>[] = [
    {},
    { tools: [{ name: 'a', description: 'b' }], keywords: ['x'], license: 'MIT', homepage: 'https://example.com' },
    { author: { name: 'a', phone: '1' } },
    { scripts: { build: 'x' } },
    { manifest_version: '0.1', privacy_policies: ['https://example.com'] },
    { manifest_version: '0.2', privacy_policies: ['https://example.com'] },
    { manifest_version: '0.2', _meta: {} },
    { manifest_version: '0.3', _meta: { 'dev.reeve': { capabilities: { network: 'any' } } } },
    { _meta: { x: 'text' } },
    { user_config: { a: { type: 'string', title: 'A', description: 'A', enum: ['x'] } } },
    { homepage: 'nowhere' },
    { server: { type: 'node', entry_point: 'server/index.js' } },
  ]
  for (const changes of cases) {
    const manifest = manifestOf(changes)
    const schema = MANIFEST_SCHEMAS[manifest.manifest_version as '0.3']
    const errors = lintManifest(manifest, Object.keys(SOURCE)).filter(({ level }) => level === 'error')
    expect([changes, errors.length === 0]).toEqual([changes, schema.safeParse(manifest).success])
  }
})

describe('the integrity of an unpacked bundle', () => {
  test('names what was changed, removed, added, and never follows a link', async () => {
    const folder = await stage.emptyFolder()
    const { files } = await unpackBundle(
      await stage.save(
        stage.pack([
          { name: 'a/b/c', data: 'c' },
          { name: 'd', data: 'd' },
          { name: 'e', data: 'e' },
        ]),
      ),
      folder,
    )
    expect(await checkIntegrity(folder, files)).toEqual({ checked: 5, modified: [], missing: [], added: [] })
    for (const path of ['.', 'a', 'a/b', 'server']) await chmod(join(folder, path), 0o755)
    await rm(join(folder, 'd'))
    await writeFile(join(folder, 'server/new.js'), 'x')
    await rm(join(folder, 'e'))
    await writeFile(join(folder, 'e'), 'E')
    await rm(join(folder, 'a/b/c'))
    // The same bytes, but through a link.
    await writeFile(join(folder, 'real-c'), 'c')
    await symlink(join(folder, 'real-c'), join(folder, 'a/b/c'))
    await symlink('/', join(folder, 'root'))
    expect(await checkIntegrity(folder, files)).toEqual({
      checked: 5,
      modified: ['a/b/c', 'e'],
      missing: ['d'],
      added: ['real-c', 'root', 'server/new.js'],
    })
    expect(await checkIntegrity(join(folder, 'nowhere'), files)).toMatchObject({
      missing: Object.keys(files),
      added: [],
    })
    await removeTree(folder)
    await expect(readdir(folder)).rejects.toThrow('ENOENT')
    await removeTree(folder)
  })

  test('removing follows no link either', async () => {
    const outside = await folderOf({ precious: 'x' })
    await chmod(outside, 0o700)
    const folder = await folderOf({ a: 'x' })
    await symlink(outside, join(folder, 'link'))
    await removeTree(folder)
    expect(await readFile(join(outside, 'precious'), 'utf8')).toBe('x')
    await symlink(outside, folder)
    await removeTree(folder)
    expect(await readFile(join(outside, 'precious'), 'utf8')).toBe('x')
    expect((await stat(outside)).mode & 0o777).toBe(0o700)
  })
})

describe('an icon', () => {
  const png = (width: number, height: number, length = 100): Buffer => {
    const bytes = Buffer.alloc(length)
    Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(bytes)
    bytes.writeUInt32BE(width, 16)
    bytes.writeUInt32BE(height, 20)
    return bytes
  }
  test('is a PNG of the bundle, of a size that can be shown', async () => {
    const folder = await folderOf({
      'good.png': png(64, 64),
      'wide.png': png(4096, 1),
      'heavy.png': png(64, 64, 300 * 1024),
      'empty.png': png(0, 0),
      'svg.png': '<svg onload="alert(1)"/>',
      'icons/deep.png': png(16, 16),
    })
    const outside = await folderOf({ 'icon.png': png(8, 8) })
    await symlink(join(outside, 'icon.png'), join(folder, 'link.png'))
    await symlink(outside, join(folder, 'linked'))
    const size = async (changes: Record<string, unknown>) =>
      (await readIcon(folder, manifestOf(changes)))?.readUInt32BE(16) ?? null
    expect(await size({ icon: 'good.png' })).toBe(64)
    expect(await size({ icon: './good.png' })).toBe(64)
    expect(
      await size({ icon: 'svg.png', icons: [{ src: 'https://example.com/x.png' }, { src: 'icons/deep.png' }] }),
    ).toBe(16)
    for (const icon of [
      'wide.png',
      'heavy.png',
      'empty.png',
      'svg.png',
      'link.png',
      'linked/icon.png',
      'icons',
      'gone.png',
      '../x.png',
    ])
      expect([icon, await size({ icon })]).toEqual([icon, null])
    expect(await size({ icon: `${outside}/icon.png` })).toBeNull()
    expect(await size({ icon: 'https://example.com/icon.png' })).toBeNull()
    expect(await size({})).toBeNull()
  })
})
