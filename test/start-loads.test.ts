import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { databases } from './stage/servers/postgres.ts'
import { startProcess } from './stage/process.ts'
import { until } from './stage/wait.ts'

/** docs/decisions/0017-what-a-start-loads.md says why; whoever needs one of them at start changes the table there. */
const NOT_AT_START = [
  '@ai-sdk/',
  '@duckdb/',
  '@fastify/ajv-compiler',
  '@fastify/busboy',
  '@fastify/fast-json-stringify-compiler',
  '@node-rs/argon2',
  '@opentelemetry/',
  '@peculiar/x509',
  '@simplewebauthn/',
  'ai',
  'asn1js',
  'aws4fetch',
  'jschardet',
  'mysql2',
  'nodemailer',
  'oidc-provider',
  'openid-client',
  'otpauth',
  'pkijs',
  'postal-mime',
  'sharp',
  'undici',
  'unpdf',
  'yauzl',
  'yazl',
]
/** The built-in modules need these, which start once it is listening. */
const ONCE_LISTENING = ['@modelcontextprotocol/client', '@modelcontextprotocol/server', 'ajv', 'htmlparser2']

const folder = mkdtempSync(join(tmpdir(), 'reeve-loads-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Loaded before the service: appends the address of every file that Node loads, as `import` or as `require`, to a file. */
function watcher(list: string): string {
  const file = join(folder, 'watch.mjs')
  writeFileSync(
    file,
    `import { appendFileSync } from 'node:fs'
     import { registerHooks } from 'node:module'
     registerHooks({ load(url, context, next) {
       appendFileSync(${JSON.stringify(list)}, url + '\\n')
       return next(url, context)
     } })
     process.on('SIGUSR2', () => appendFileSync(${JSON.stringify(list)},
       process.moduleLoadList.filter((name) => name.includes('deps/undici')).map((name) => name + '\\n').join('') + 'listed\\n'))`,
  )
  return pathToFileURL(file).href
}

/** The packages among loaded files, by name. */
function packagesOf(lines: readonly string[]): Set<string> {
  const found = lines.map((line) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(line)?.[1])
  return new Set(found.filter((name) => name !== undefined))
}

const among = (names: readonly string[], loaded: ReadonlySet<string>) =>
  [...loaded]
    .filter((name) => names.some((each) => (each.endsWith('/') ? name.startsWith(each) : name === each)))
    .sort()

describe.each(databases)('a start on $name', (database) => {
  test('loads nothing that only a later use needs', async () => {
    const list = join(folder, `${database.name}.txt`)
    await using server = await startProcess({
      database,
      env: { NODE_OPTIONS: `--import=${watcher(list)}`, REEVE_PUBLIC_URL: '' },
    })
    const lines = () => readFileSync(list, 'utf8').split('\n')
    await until(() => server.log.filter(({ msg }) => msg === 'module running').length === 5, {
      what: 'the built-in modules run',
    })
    const own = lines().findIndex((line) => line.endsWith('/server/main.ts'))
    const opened = lines().findIndex((line) => line.endsWith('/supervision/bring-up.ts'))
    expect(own).toBeGreaterThanOrEqual(0)
    expect(opened).toBeGreaterThan(own)
    // Before the first module is brought up: what the start waits for.
    expect(among([...NOT_AT_START, ...ONCE_LISTENING], packagesOf(lines().slice(own, opened)))).toEqual([])
    expect(among(NOT_AT_START, packagesOf(lines().slice(own)))).toEqual([])
    expect(packagesOf(lines()).has('pg')).toBe(database.name === 'postgres')

    process.kill(server.pid, 'SIGUSR2')
    await until(() => lines().includes('listed'), { what: 'Node says what it loaded of itself' })
    // Its client for fetch and WebSocket, 13 MB, which importing node:http as a whole loads as well.
    expect(lines().filter((line) => line.includes('deps/undici'))).toEqual([])
  })
})
