/**
 * `npm run conformance`: the protocol's own test suite against the host and against the gateway, over HTTP, in both eras. Each
 * scenario runs alone, because in parallel a slow machine would time out.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { ensureInstalled } from './install.mjs'
import { launch, say } from './report.mjs'
import { collect, ROOT } from './run.mjs'
import { chooseRuntime } from './runtime.mjs'

/** Signing in at remote servers, as both revisions want it. */
const AUTHORIZATION = [
  'metadata-default',
  'metadata-var1',
  'metadata-var2',
  'metadata-var3',
  'basic-cimd',
  'scope-from-www-authenticate',
  'scope-from-scopes-supported',
  'scope-omitted-when-undefined',
  'scope-step-up',
  'scope-retry-limit',
  'token-endpoint-auth-basic',
  'token-endpoint-auth-post',
  'token-endpoint-auth-none',
  'pre-registration',
].map((name) => `auth/${name}`)
/** What only the newer one asks for. */
const NEWER_AUTHORIZATION = [
  'resource-mismatch',
  'offline-access-scope',
  'offline-access-not-supported',
  'authorization-server-migration',
  'iss-supported',
  'iss-not-advertised',
  'iss-supported-missing',
  'iss-wrong-issuer',
  'iss-unexpected',
  'iss-normalized',
  'metadata-issuer-mismatch',
].map((name) => `auth/${name}`)
/** What the host claims: all that the revisions require of clients. */
const CLAIMED = {
  '2025-11-25': [
    'initialize',
    'tools_call',
    'elicitation-sep1034-client-defaults',
    'sse-retry',
    'json-schema-2020-12-preservation',
    ...AUTHORIZATION,
  ],
  '2026-07-28': [
    'tools_call',
    'request-metadata',
    'sep-2322-client-request-state',
    'http-standard-headers',
    'http-custom-headers',
    'http-invalid-tool-headers',
    'json-schema-ref-no-deref',
    'json-schema-2020-12-preservation',
    ...AUTHORIZATION,
    ...NEWER_AUTHORIZATION,
  ],
}
/** What the gateway claims: tools, without sessions. The suite's other scenarios want tools of its own. */
const CLAIMED_BY_GATEWAY = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'],
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'caching',
    'http-header-validation',
    'dns-rebinding-protection',
    'input-required-result-unsupported-methods',
  ],
}
const TIMEOUT_MS = 30_000
const SUITE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const CLIENT = join(ROOT, 'test/conformance/client.ts')
const GATEWAY = join(ROOT, 'test/conformance/gateway.ts')
const BASELINE = join(ROOT, 'test/conformance/expected-failures.yaml')

const FIXED = ['--timeout', String(TIMEOUT_MS), '--expected-failures', BASELINE]
const WITHOUT_WARNING = '--disable-warning=ExperimentalWarning'

/** The gateway of a service of its own; `stop` ends it. */
async function startGateway(runtime) {
  const child = spawn(runtime.node, [WITHOUT_WARNING, GATEWAY], {
    env: { ...process.env, ...runtime.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const said = new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve))
  const url = await Promise.race([said, ended.then(() => null)])
  if (url === null) throw new Error('The gateway did not start.')
  const stop = async () => {
    child.stdin.end()
    await ended
  }
  return { url, stop }
}

await launch(async () => {
  const runtime = await chooseRuntime()
  await ensureInstalled(runtime, 'full')
  const total = { scenarios: 0, failed: [], checks: 0, passed: 0 }
  const run = async (claimed, ...args) => {
    for (const [revision, scenarios] of Object.entries(claimed)) {
      for (const scenario of scenarios) {
        const asked = [SUITE, ...args, ...FIXED, '--scenario', scenario, '--spec-version', revision]
        const { code, output } = await collect(runtime.node, asked, { env: runtime.env })
        const [, good = '0', all = '0'] = /Passed: (\d+)\/(\d+)/.exec(output) ?? []
        total.scenarios++
        total.passed += Number(good)
        total.checks += Number(all)
        say(`${code === 0 ? '✓' : '✗'} ${args[0]} ${revision} ${scenario}: ${good} of ${all}`)
        if (code === 0) continue
        total.failed.push(`${args[0]} ${scenario}`)
        say(output)
      }
    }
  }
  await run(CLAIMED, 'client', '--command', `${runtime.node} ${WITHOUT_WARNING} ${CLIENT}`)
  const gateway = await startGateway(runtime)
  try {
    await run(CLAIMED_BY_GATEWAY, 'server', '--url', gateway.url)
  } finally {
    await gateway.stop()
  }
  const { scenarios, failed, checks, passed } = total
  say(`${scenarios - failed.length} of ${scenarios} scenarios, ${passed} of ${checks} checks.`)
  process.stdout.write(`${JSON.stringify(total)}\n`)
  return failed.length === 0 ? 0 : 1
})
