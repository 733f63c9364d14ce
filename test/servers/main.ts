/**
 * Runs the servers of the list as modules of a real service; see scripts/servers.mjs.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { contract } from '../../contract/index.ts'
import type { ModuleDetail } from '../../contract/modules.ts'
import { packFolder } from '../../server/modules/bundle/archive/pack-folder.ts'
import { startTestApp } from '../stage/app.ts'
import { say } from '../stage/chat-stage.ts'
import type { TestClient } from '../stage/client.ts'
import type { Figures } from './figures.ts'
import { SERVERS, type ListedServer } from './list.ts'
import { recordFigures } from './record.ts'

const MIB = 1024 * 1024
const { values: options, positionals: only } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: 'string' }, record: { type: 'boolean', default: false } },
})
const folder = options.keep ?? (await mkdtemp(join(tmpdir(), 'reeve-servers-')))

async function fetchPackage({ package: name, version }: ListedServer, into: string): Promise<void> {
  if (existsSync(join(into, 'node_modules', name))) return
  await mkdir(into, { recursive: true })
  await writeFile(join(into, 'package.json'), '{"private":true}\n')
  const npm = process.env['npm_execpath'] ?? ''
  const args = [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--omit=dev',
    '--save-exact',
    `${name}@${version}`,
  ]
  await promisify(execFile)(process.execPath, [npm, ...args], { cwd: into, maxBuffer: 64 * MIB, timeout: 600_000 })
  await rm(join(into, 'node_modules/.bin'), { recursive: true, force: true })
}

async function pack(server: ListedServer, slug: string, into: string): Promise<string> {
  const root = join(into, 'node_modules', server.package)
  const { bin, version, description } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>
    version: string
    description?: string
  }
  const program = typeof bin === 'string' ? bin : (bin[server.bin ?? ''] ?? Object.values(bin)[0]!)
  const entry = join('node_modules', server.package, program)
  await writeFile(
    join(into, 'manifest.json'),
    JSON.stringify({
      manifest_version: '0.3',
      name: slug,
      version,
      description: description ?? server.package,
      author: { name: 'The registry' },
      server: {
        type: 'node',
        entry_point: entry,
        mcp_config: {
          command: 'node',
          args: [`\${__dirname}/${entry}`, ...(server.args ?? [])],
          env: server.env ?? {},
        },
      },
      tools_generated: true,
    }),
  )
  const bundle = `${into}.mcpb`
  await rm(bundle, { force: true })
  await packFolder(into, bundle)
  return bundle
}

async function run(admin: TestClient, server: ListedServer, page: string): Promise<Figures> {
  const { package: name, version } = server
  const figures: Figures = { package: name, version, outcome: 'none', said: '' }
  const slug = name
    .replace(/^@/, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
  const params = { module_name: slug }
  try {
    const into = join(folder, slug)
    await fetchPackage(server, into)
    const bundle = await pack(server, slug, into)
    figures.packed_mib = (await stat(bundle)).size / MIB
    figures.unpacked_mib = await unpackedSize(into)
    const body = await readFile(bundle)
    await admin.call(contract.modules.install, { headers: { 'x-module-filename': `${slug}.mcpb` }, body })
    if (server.memory_mib !== undefined)
      await admin.call(contract.modules.saveLimits, { params, body: { memory_mib: server.memory_mib } })
    const from = performance.now()
    // These are real programs that look for their services; nothing they reach is here.
    const grants = { network: 'any' as const, folders: [], commands: [] }
    const { module } = await admin.call(contract.modules.enable, { params, body: { grants } })
    figures.start_ms = Math.round(performance.now() - from)
    figures.level = module.isolation.level
    figures.tools = module.tools.map((tool) => tool.name)
    const [tool, input] = server.call ?? readingCall(module.tools)
    figures.call = tool
    const text = JSON.stringify(input).replaceAll('${PAGE}', page)
    if (tool === '') figures.said = module.problem ?? 'It has no tools.'
    else await called(admin, figures, `/${slug}.${tool} ${text}`)
    const { memory } = (await admin.call(contract.modules.module, { params })).module
    figures.memory_mib = Math.round((memory?.used ?? 0) / MIB)
  } catch (error) {
    figures.said = lastWords(error)
  } finally {
    await admin.call(contract.modules.disable, { params }).catch(() => undefined)
  }
  return figures
}

/** A tool that reads, as it claims or as its name says, and something for each argument that it requires. */
function readingCall(tools: ModuleDetail['tools']): [string, Record<string, unknown>] {
  const reads = tools.filter(({ effect }) => effect === 'read')
  const named = tools.filter(({ name }) => /list|get|search|find|read|status|show/i.test(name))
  const tool = named.find((each) => reads.includes(each)) ?? reads[0] ?? named[0] ?? tools[0]
  if (tool === undefined) return ['', {}]
  const { required, properties } = tool.input_schema as { required?: string[]; properties?: Record<string, Schema> }
  return [tool.name, Object.fromEntries((required ?? []).map((key) => [key, sample(properties?.[key])]))]
}

interface Schema {
  readonly type?: string | string[]
  readonly enum?: unknown[]
  readonly default?: unknown
}

function sample(schema: Schema = {}): unknown {
  if (schema.default !== undefined) return schema.default
  if (schema.enum !== undefined) return schema.enum[0]
  const samples: Record<string, unknown> = { number: 1, integer: 1, boolean: false, array: [], object: {} }
  return samples[[schema.type].flat()[0] ?? ''] ?? 'none'
}

async function called(admin: TestClient, figures: Figures, message: string): Promise<void> {
  let result = await say(admin, message)
  const card = result.approvals[0]
  if (card !== undefined) {
    const to = { approval_id: card.approval_id }
    const decided = await admin.call(contract.chat.decideApproval, { params: to, body: { decision: 'approve' } })
    result = decided.result ?? result
  }
  const call = result.tool_calls_executed[0]
  figures.said = call?.result_preview ?? result.answer
  if (call !== undefined) figures.outcome = call.status === 'done' ? 'result' : 'error'
}

/** Without npm's own command line, and without paths of this run. */
function lastWords(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replace(/^POST \S+: \d+ \w+: /, '').replaceAll(/\/tmp\/[^\s'"]*\/node_modules\//g, '')
}

async function unpackedSize(path: string): Promise<number> {
  const { stdout } = await promisify(execFile)('du', ['-sm', path])
  return Number(stdout.split('\t')[0])
}

const site = createServer((_request, answer) => {
  answer.setHeader('content-type', 'text/html')
  answer.end('<title>The harbour</title><p>quiet')
}).listen(0, '127.0.0.1')
await once(site, 'listening')
await mkdir(folder, { recursive: true })
// Some look for their services for a while before they answer.
await using app = await startTestApp({ env: { REEVE_MODULE_START: '60' } })
const admin = await app.as('admin')
const all: Figures[] = []
for (const server of SERVERS) {
  if (only.length > 0 && !only.some((name) => server.package.includes(name))) continue
  const figures = await run(admin, server, `http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  all.push(figures)
  const { tools, said, ...rest } = figures
  process.stdout.write(`${JSON.stringify({ ...rest, tools: tools?.length, said: said.slice(0, 160) })}\n`)
}
site.closeAllConnections()
site.close()
if (options.record) await recordFigures(all)
if (options.keep === undefined) await rm(folder, { recursive: true, force: true })
const acted = all.filter(({ outcome }) => outcome !== 'none').length
process.stdout.write(`${acted} of ${all.length} acted.\n`)
