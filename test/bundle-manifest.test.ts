import { describe, expect, test } from 'vitest'
import { comparePythonVersions, compareVersions } from '../server/modules/bundle/manifest/compare-versions.ts'
import { moduleSlug } from '../server/modules/bundle/manifest/module-slug.ts'
import { moduleTexts } from '../server/modules/bundle/manifest/module-texts.ts'
import { parseManifest } from '../server/modules/bundle/manifest/parse-manifest.ts'
import { declaredCapabilities, reeveMetaSchema } from '../server/modules/bundle/manifest/reeve-meta.ts'
import { wordingOf } from '../server/modules/catalogue/module-wording.ts'
import { inVersionRange } from '../server/modules/bundle/manifest/version-range.ts'
import { MANIFEST, manifestOf } from './stage/modules/bundle-stage.ts'

const text = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

describe('a manifest', () => {
  test('is read with a byte order mark, and what is unknown in it is kept', () => {
    const bytes = Buffer.concat([
      Buffer.from([0xef, 0xbb, 0xbf]),
      text({ ...MANIFEST, id: 'x', scripts: { build: 'y' } }),
    ])
    expect(parseManifest(bytes)).toMatchObject({ name: 'weather', id: 'x', scripts: { build: 'y' } })
  })

  test('is read in all its versions, and by its older name', () => {
    for (const version of ['0.1', '0.2', '0.3', '0.4']) manifestOf({ manifest_version: version })
    expect(manifestOf({ manifest_version: undefined, dxt_version: '0.1' }).dxt_version).toBe('0.1')
  })

  test.each<[string, Record<string, unknown>]>([
    [
      'newer parts in an older version',
      { manifest_version: '0.1', privacy_policies: [], id: 'x', scripts: { build: 'y' } },
    ],
    ['uv without a launch', { manifest_version: '0.4', server: { type: 'uv', entry_point: 'src/server.py' } }],
    ['a name with capitals and dots', { name: 'Azure.Mcp.Server', tools: [], tools_generated: false }],
    ['a version that is none', { version: 'banana' }],
    [
      'paths and commands that are refused later',
      { server: { type: 'node', entry_point: '../../x', mcp_config: { command: 'bash' } } },
    ],
    ['prompts without arguments', { prompts: [{ name: 'x', text: 'y' }] }],
    ['other hosts', { compatibility: { claude_desktop: '>=0.10', my_client: '1', platforms: ['win32', 'amiga'] } }],
    [
      'an empty default',
      { user_config: { d: { type: 'directory', title: '', description: '', multiple: true, default: [] } } },
    ],
  ])('is read with %s, as bundles are found', (_, changes) => {
    expect(manifestOf(changes)).toMatchObject(changes)
  })

  test.each<[string, Buffer, RegExp]>([
    ['is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8/],
    ['is no JSON', Buffer.from('{"name":'), /isn’t valid JSON/],
    ['is no object', text([]), /expected object/],
    ['is too large', Buffer.alloc(1024 * 1024 + 1, ' '), /larger than 1 MiB/],
    ['has a key twice', Buffer.from('{"name":"a","name":"b"}'), /key “name” twice/],
    ['has a key twice, escaped', Buffer.from('{"a":[{"name":"a","n\\u0061me":"b"}]}'), /key “name” twice/],
    ['has __proto__', Buffer.from('{"name":"a","x":{"__proto__":{"a":1}}}'), /__proto__/],
    ['has __proto__, escaped', Buffer.from('{"\\u005f_proto__":1}'), /__proto__/],
    ['is nested deeply', Buffer.from(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`), /64 levels deep/],
    ['has no version of the format', text({ ...MANIFEST, manifest_version: undefined }), /manifest_version/],
    ['has an unknown version of the format', text({ ...MANIFEST, manifest_version: '9.1' }), /“manifest_version”/],
    ['has no name', text({ ...MANIFEST, name: '' }), /“name”/],
    ['has no server', text({ ...MANIFEST, server: undefined }), /“server”/],
    [
      'has an unknown kind of server',
      text({ ...MANIFEST, server: { type: 'java', entry_point: 'x' } }),
      /“server\.type”/,
    ],
    ['has a long version', text({ ...MANIFEST, version: '1'.repeat(65) }), /“version”/],
    [
      'has a bad type of setting',
      text({ ...MANIFEST, user_config: { a: { type: 'url', title: '', description: '' } } }),
      /“user_config\.a\.type”/,
    ],
    [
      'has a bad key of setting',
      text({ ...MANIFEST, user_config: { 'a}b': { type: 'string', title: '', description: '' } } }),
      /user_config/,
    ],
    [
      'has a setting under the key of a variable that is added',
      text({ ...MANIFEST, user_config: { 'env:TOKEN': { type: 'string', title: '', description: '' } } }),
      /env:/,
    ],
    [
      'has bad capabilities',
      text({ ...MANIFEST, _meta: { 'dev.reeve': { capabilities: { network: 'some' } } } }),
      /dev\.reeve.*capabilities/,
    ],
    [
      'has a bad pattern',
      text({ ...MANIFEST, _meta: { 'dev.reeve': { settings: { a: { pattern: '(' } } } } }),
      /isn’t a valid regular expression/,
    ],
    [
      'has an endless pattern',
      text({ ...MANIFEST, _meta: { 'dev.reeve': { settings: { a: { pattern: '(a+)+b' } } } } }),
      /repeats a group/,
    ],
  ])('that %s is refused', (_, bytes, reason) => {
    expect(() => parseManifest(bytes)).toThrow(
      expect.objectContaining({ code: 'bad_manifest', message: expect.stringMatching(reason) }),
    )
  })

  test('says to people what is fit to be shown', () => {
    const texts = moduleTexts(
      manifestOf({
        display_name: 'Wea\u202eth\u200ber\nReport',
        homepage: 'javascript:alert(1)',
        documentation: 'https://example.com/docs',
        license: 'MIT',
      }),
    )
    expect(texts).toMatchObject({
      display_name: 'Wea\\u{202e}th\\u{200b}er Report',
      homepage: null,
      documentation: 'https://example.com/docs',
      license: 'MIT',
      author: 'Ada',
    })
    expect(moduleTexts(manifestOf()).display_name).toBe('weather')
    expect(moduleTexts(manifestOf({ homepage: 'https://user:secret@example.com/' })).homepage).toBeNull()
  })

  test('speaks other languages with texts that are bounded by its own', () => {
    const de = { 'Says what the weather is like.': 'Sagt\u200b das Wetter. ' + 'x'.repeat(5000), weather: ' ' }
    const manifest = manifestOf({ display_name: 'weather', _meta: { 'dev.reeve': { locales: { de } } } })
    const wording = wordingOf({ builtin: null, manifest }, 'de')
    const { display_name, description } = moduleTexts(manifest, wording)
    expect(description).toMatch(/^Sagt\\u\{200b\} das Wetter\. x+$/)
    expect(description.length).toBe('Says what the weather is like.'.length * 4 + 80)
    expect(display_name).toBe('weather')
    expect(wording.text('constructor')).toBe('constructor')
    expect(wordingOf({ builtin: null, manifest }, 'fr').text('weather')).toBe('weather')
  })

  test.each([{ locales: { german: {} } }, { locales: { de: { weather: 7 } } }, { locales: { de: ['x'] } }])(
    'with %j is refused',
    (meta) => {
      expect(() => manifestOf({ _meta: { 'dev.reeve': meta } })).toThrow(
        expect.objectContaining({ code: 'bad_manifest' }),
      )
    },
  )

  test('asks for nothing unless it says so', () => {
    expect(declaredCapabilities(manifestOf())).toEqual({ network: 'none', folders: [], commands: [] })
    const asking = manifestOf({ _meta: { 'dev.reeve': { capabilities: { network: ['api.example.com'] } } } })
    expect(declaredCapabilities(asking)).toEqual({ network: ['api.example.com'], folders: [], commands: [] })
    expect(reeveMetaSchema()).toMatchObject({ type: 'object', properties: { capabilities: {}, settings: {} } })
  })
})

test.each([
  ['weather', 'weather'],
  ['Azure.Mcp.Server', 'azure-mcp-server'],
  ['@scope/Name  of_it', 'scope-name-of-it'],
  ['../../etc x', 'etc-x'],
  ['Café Ｆｕｌｌ', 'cafe-full'],
  ['x'.repeat(100), 'x'.repeat(64)],
  [`${'x'.repeat(63)} yy`, 'x'.repeat(63)],
  ['Policy', 'policy-module'],
  ['sdk-ai', 'sdk-ai-module'],
])('the name %j gives the slug %s', (name, slug) => {
  expect(moduleSlug(name)).toBe(slug)
})

test.each(['日本', '...', 'wea\u200bther', 'wea\u202ether', 'a\0b', 'a\nb', 'wea\ufe0fther'])(
  'the name %j gives no slug',
  (name) => {
    expect(() => moduleSlug(name)).toThrow(expect.objectContaining({ code: 'bad_manifest' }))
  },
)

test.each([
  ['1.0.0', '1.0.1'],
  ['1.9.0', '1.10.0'],
  ['1.0.0-alpha', '1.0.0-alpha.1'],
  ['1.0.0-alpha.1', '1.0.0-alpha.beta'],
  ['1.0.0-alpha.9', '1.0.0-alpha.10'],
  ['1.0.0-rc.1', '1.0.0'],
  ['v1.2.3', '1.2.4'],
  ['1.2', '1.2.1'],
  ['2026.8.31', '2026.11.1'],
  ['1.0.99999999999999999998', '1.0.99999999999999999999'],
  ['r9', 'r10'],
  ['apple', 'banana'],
  ['build 1', 'build 1 b'],
])('version %s is older than %s', (older, newer) => {
  expect(compareVersions(older, newer)).toBeLessThan(0)
  expect(compareVersions(newer, older)).toBeGreaterThan(0)
})

test.each([
  ['1.0.0', '1.0.0+build.5'],
  ['1.0', '1.0.0'],
  ['banana', 'Banana'],
])('version %s ranks as %s', (a, b) => expect(compareVersions(a, b)).toBe(0))

describe('versions of Python packages (PEP 440)', () => {
  test('each is older than all that follow', () => {
    const order = `
      0.0.9 1.dev0 1.0.dev456 1.0a1 1.0a2.dev456 1.0a12.dev456 1.0a12 1.0b1.dev456 1.0b2 1.0b2.post345.dev456 1.0b2.post345
      1.0rc1.dev456 1.0rc1 1.0 1.0+abc.5 1.0+abc.7 1.0+5 1.0+5.a 1.0.post456.dev34 1.0.post456 1.0.15 1.1.dev1 1.9 1.10
      2.0.0.dev1 2.0.0rc1 2.0.0rc10 2.0.0 2012.10 1!0.1 1!2.0rc1 1!2.0
    `
      .trim()
      .split(/\s+/)
    const wrong = order.flatMap((older, at) =>
      order.slice(at + 1).flatMap((newer) => {
        const right = comparePythonVersions(older, newer) < 0 && comparePythonVersions(newer, older) > 0
        return right ? [] : [`${older} < ${newer}`]
      }),
    )
    expect(wrong).toEqual([])
  })

  test.each([
    ['1.0', '1.0.0'],
    ['1.1RC1', '1.1rc1'],
    ['1.1-a_1', '1.1a1'],
    ['1.1alpha1', '1.1a1'],
    ['1.1beta', '1.1b0'],
    ['1.1c3', '1.1rc3'],
    ['1.1preview3', '1.1pre3'],
    ['1.0-1', '1.0.post1'],
    ['1.0-r4', '1.0.post4'],
    ['1.2.post', '1.2.post0'],
    ['1.2-dev2', '1.2.dev2'],
    ['1.0+ubuntu-1', '1.0+Ubuntu.1'],
    ['v1.0', '0!1.00'],
  ])('%s is %s', (a, b) => expect(comparePythonVersions(a, b)).toBe(0))

  test('what is none is compared like other texts', () => {
    expect(comparePythonVersions('r9', 'r10')).toBeLessThan(0)
  })
})

test.each([
  ['>=18', '24.1.0', true],
  ['>=18.0.0', '17.9.9', false],
  ['^20.1', '20.5.0', true],
  ['^20.1', '20.0.9', false],
  ['^20.1', '21.0.0', false],
  ['^0.2.3', '0.3.0', false],
  ['~20.1.2', '20.1.9', true],
  ['~20.1.2', '20.2.0', false],
  ['~20', '20.9.0', true],
  ['18 - 20', '20.19.1', true],
  ['18 - 20', '21.0.0', false],
  ['18.x || >= 22', '24.0.0', true],
  ['18.x || >= 22', '20.0.0', false],
  ['>=18 <23', '24.0.0', false],
  ['>20', '20.5.0', false],
  ['<=20', '20.5.0', true],
  ['20.1.0', '20.1.0', true],
  ['*', '24.0.0', true],
  ['', '24.0.0', true],
  ['>=18, <23', '24.0.0', false],
  ['>=18', '25.0.0-nightly1', true],
  ['latest', '24.0.0', null],
  ['>=18 and nice', '24.0.0', null],
])('range %j holds for %s: %s', (range, version, expected) => {
  expect(inVersionRange(version, range)).toBe(expected)
})
