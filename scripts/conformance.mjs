/**
 * `npm run conformance`: the protocol's own test suite against the host, over HTTP, in both eras. Each scenario runs
 * alone, because in parallel a slow machine would time out.
 */
import { join } from 'node:path'
import process from 'node:process'
import { ensureInstalled } from './install.mjs'
import { launch, say } from './report.mjs'
import { collect, ROOT } from './run.mjs'
import { chooseRuntime } from './runtime.mjs'

/**
 * What the host claims. Everything else that the revisions require is OAuth, but remote modules are reached with a
 * token.
 */
const CLAIMED = {
  '2025-11-25': [
    'initialize',
    'tools_call',
    'elicitation-sep1034-client-defaults',
    'sse-retry',
    'json-schema-2020-12-preservation',
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
  ],
}
const TIMEOUT_MS = 30_000
const SUITE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const CLIENT = join(ROOT, 'test/conformance/client.ts')
const BASELINE = join(ROOT, 'test/conformance/expected-failures.yaml')

function options(runtime, revision, scenario) {
  const command = `${runtime.node} --disable-warning=ExperimentalWarning ${CLIENT}`
  const fixed = ['--command', command, '--timeout', String(TIMEOUT_MS), '--expected-failures', BASELINE]
  return [SUITE, 'client', ...fixed, '--scenario', scenario, '--spec-version', revision]
}

await launch(async () => {
  const runtime = await chooseRuntime()
  await ensureInstalled(runtime, 'full')
  const failed = []
  let passed = 0
  let checks = 0
  for (const [revision, scenarios] of Object.entries(CLAIMED)) {
    for (const scenario of scenarios) {
      const { code, output } = await collect(runtime.node, options(runtime, revision, scenario), { env: runtime.env })
      const [, good = '0', all = '0'] = /Passed: (\d+)\/(\d+)/.exec(output) ?? []
      passed += Number(good)
      checks += Number(all)
      say(`${code === 0 ? '✓' : '✗'} ${revision} ${scenario}: ${good} of ${all}`)
      if (code !== 0) {
        failed.push(scenario)
        say(output)
      }
    }
  }
  const scenarios = Object.values(CLAIMED).flat().length
  say(`${scenarios - failed.length} of ${scenarios} scenarios, ${passed} of ${checks} checks.`)
  process.stdout.write(`${JSON.stringify({ scenarios, failed, checks, passed })}\n`)
  return failed.length === 0 ? 0 : 1
})
