import { delimiter } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SettingValue } from '../contract/modules.ts'
import { planLaunch } from '../server/modules/bundle/manifest/plan-launch.ts'
import { manifestOf } from './stage/modules/bundle-stage.ts'

const SETTINGS = {
  a: { type: 'string', title: 'A', description: '' },
  key: { type: 'string', title: 'Key', description: '', sensitive: true },
  z: { type: 'string', title: 'Z', description: '', sensitive: true },
  n: { type: 'number', title: 'N', description: '' },
  b: { type: 'boolean', title: 'B', description: '' },
  d: { type: 'directory', title: 'D', description: '', multiple: true },
  home: { type: 'directory', title: 'H', description: '', default: '${HOME}/notes', required: true },
  list: { type: 'directory', title: 'L', description: '', multiple: true, default: ['${HOME}', '${DOWNLOADS}'] },
}

function plan(config: Record<string, unknown>, values: Record<string, SettingValue> = {}, settings: object = SETTINGS) {
  const server = { type: 'node', entry_point: 'index.js', mcp_config: { command: 'node', ...config } }
  return planLaunch(manifestOf({ user_config: settings, server }), {
    bundleFolder: '/bundle',
    dataFolder: '/data',
    home: '/home/me',
    values,
    platform: 'linux',
  })
}
const args = (template: string[], values: Record<string, SettingValue> = {}) => plan({ args: template }, values).args
const env = (template: Record<string, string>, values: Record<string, SettingValue> = {}) =>
  plan({ env: template }, values).env

describe('variables', () => {
  test('of the format are filled in', () => {
    expect(
      args([
        '${__dirname}/i.js',
        '${HOME}',
        '${DESKTOP}|${DOCUMENTS}|${DOWNLOADS}',
        'a${/}b${pathSeparator}c',
        '${OTHER} $HOME',
      ]),
    ).toEqual([
      '/bundle/i.js',
      '/home/me',
      '/home/me/Desktop|/home/me/Documents|/home/me/Downloads',
      'a/b/c',
      '${OTHER} $HOME',
    ])
  })

  test('hold any characters as they are', () => {
    for (const value of ['pa$$wo$&rd', "$1$`$'", '${HOME}', '$(id)', '`id`', '\\', '${__dirname}'])
      expect(env({ K: '${user_config.key}', L: 'x${user_config.key}y' }, { key: value })).toEqual({
        K: value,
        L: `x${value}y`,
      })
  })

  test('are filled in once: a value never reaches another setting', () => {
    const values = { a: '${user_config.z}', z: 'secret' }
    expect(args(['${user_config.a}'], values)).toEqual(['${user_config.z}'])
    expect(env({ A: 'x ${user_config.a}' }, values)).toEqual({ A: 'x ${user_config.z}' })
  })

  test('without a value drop the whole argument or entry, and are empty inside a longer text', () => {
    expect(args(['--a', '${user_config.a}', '--a=${user_config.a}', '${user_config.unknown}'])).toEqual(['--a', '--a='])
    expect(args(['${user_config.a}', '${user_config.d}'], { a: '', d: [] })).toEqual([])
    expect(env({ A: '${user_config.a}', B: 'x${user_config.a}y' })).toEqual({ B: 'xy' })
  })

  test('that are lists become one argument each, and are joined in the environment', () => {
    const values = { d: ['/one', '/two'] }
    expect(args(['x', '${user_config.d}', '--d=${user_config.d}'], values)).toEqual([
      'x',
      '/one',
      '/two',
      '--d=/one',
      '--d=/two',
    ])
    expect(args(['--d=${user_config.d}'])).toEqual([])
    expect(env({ D: '${user_config.d}', E: 'in ${user_config.d}' }, values)).toEqual({
      D: ['/one', '/two'].join(delimiter),
      E: `in ${['/one', '/two'].join(delimiter)}`,
    })
  })

  test('take their defaults, folders in them filled in', () => {
    expect(args(['${user_config.home}', '${user_config.list}'])).toEqual([
      '/home/me/notes',
      '/home/me',
      '/home/me/Downloads',
    ])
    expect(args(['${user_config.home}'], { home: '${HOME}/other' })).toEqual(['${HOME}/other'])
  })

  test('of other types become text', () => {
    expect(args(['${user_config.n}', '${user_config.b}'], { n: 0.5, b: false })).toEqual(['0.5', 'false'])
    expect(args(['${user_config.n}'], { n: 0 })).toEqual(['0'])
  })

  test('named like members of every object are settings that are not there', () => {
    expect(args(['${user_config.constructor}', 'x${user_config.__proto__}'])).toEqual(['x'])
  })
})

describe('a launch', () => {
  test('on a platform replaces what that platform overrides, and keeps the rest', () => {
    const config = {
      command: 'node',
      args: ['a'],
      env: { A: '1' },
      platform_overrides: { linux: { args: [] }, win32: { command: 'node.exe', env: {} } },
    }
    expect(plan(config)).toMatchObject({ command: 'node', args: [], env: { A: '1' } })
    const manifest = manifestOf({ server: { type: 'node', entry_point: 'x', mcp_config: config } })
    const context = { bundleFolder: '/bundle', dataFolder: '/data', home: '/h', values: {} }
    expect(planLaunch(manifest, { ...context, platform: 'win32' })).toMatchObject({
      command: 'node.exe',
      args: ['a'],
      env: {},
    })
  })

  test.each([
    ['node', 'node', ['/bundle/main.x']],
    ['python', 'python3', ['/bundle/main.x']],
    ['binary', '/bundle/main.x', []],
    ['uv', 'uv', ['run', '--directory', '/bundle', 'main.x']],
  ])('of %s without mcp_config is what its kind says', (type, command, expected) => {
    const manifest = manifestOf({ server: { type, entry_point: 'main.x' } })
    expect(planLaunch(manifest, { bundleFolder: '/bundle', dataFolder: '/data', home: '/h', values: {} })).toEqual({
      command,
      args: expected,
      env: {},
      bundleFolder: '/bundle',
      dataFolder: '/data',
    })
    const outside = manifestOf({ server: { type, entry_point: '../main.x' } })
    expect(() => planLaunch(outside, { bundleFolder: '/bundle', dataFolder: '/data', home: '/h', values: {} })).toThrow(
      'leads out',
    )
  })

  test('never holds a secret in its arguments', () => {
    for (const config of [
      { args: ['${user_config.key}'] },
      { args: ['--key=${user_config.key}'] },
      { command: 'x${user_config.key}' },
    ])
      for (const values of [{}, { key: 'geheim' }] as Record<string, SettingValue>[])
        expect(() => plan(config, values)).toThrow(
          /would pass a secret .*“key”.* on its command line.*cannot be enabled/,
        )
    expect(env({ KEY: '${user_config.key}' }, { key: 'geheim' })).toEqual({ KEY: 'geheim' })
  })

  test('sets no variable that would take the process over', () => {
    const wanted = [
      'NODE_OPTIONS',
      'LD_PRELOAD',
      'LD_LIBRARY_PATH',
      'DYLD_INSERT_LIBRARIES',
      'PATH',
      'Path',
      'PYTHONSTARTUP',
      'HOME',
      'NODE_EXTRA_CA_CERTS',
      'npm_config_registry',
      'NPM_CONFIG_PREFIX',
      'BASH_ENV',
      'ENV',
      'IFS',
      'GIT_SSH_COMMAND',
      'REEVE_KEY',
      '',
    ]
    expect(
      env({ ...Object.fromEntries(wanted.map((name) => [name, 'x'])), NODE_ENV: 'production', API_URL: 'y' }),
    ).toEqual({
      NODE_ENV: 'production',
      API_URL: 'y',
    })
  })

  test('may look for libraries in the bundle only', () => {
    expect(env({ PYTHONPATH: '${__dirname}/server/lib:${__dirname}${/}more', NODE_PATH: '${__dirname}/lib' })).toEqual({
      PYTHONPATH: '/bundle/server/lib:/bundle/more',
      NODE_PATH: '/bundle/lib',
    })
    for (const value of [
      '/tmp',
      '${__dirname}/../x',
      '${__dirname}/lib:/tmp',
      '${user_config.a}',
      '${__dirname}${user_config.a}',
      '${__dirname}x',
      '',
    ])
      expect(env({ PYTHONPATH: value }, { a: '/../x' })).toEqual({})
  })

  test('starts a relative program from the bundle, and none outside by a way out of it', () => {
    expect(plan({ command: 'bin/run' }).command).toBe('/bundle/bin/run')
    expect(plan({ command: './run' }).command).toBe('/bundle/run')
    expect(plan({ command: '${__dirname}/bin/run' }).command).toBe('/bundle/bin/run')
    expect(plan({ command: '/usr/bin/env' }).command).toBe('/usr/bin/env')
    for (const command of ['../run', '${__dirname}/../run', 'bin/../../run'])
      expect(() => plan({ command })).toThrow('leads out of the bundle')
    expect(() => plan({ command: ' ' })).toThrow('names no command')
    expect(() => plan({ args: ['a\0b'] })).toThrow('NUL')
  })
})
