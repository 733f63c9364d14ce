import { rm } from 'node:fs/promises'
import type { IsolationLevel, SettingField, SettingValue } from '../../contract/modules.ts'
import { settingFields } from '../../server/modules/bundle/settings/setting-fields.ts'
import { type HostedModule, openModule } from './hosted-module.ts'
import { type ModuleTest, readModuleTests } from './module-tests.ts'
import { openBundle, type OpenedBundle } from './opened-bundle.ts'

export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly message: string
}

export interface TestReport {
  readonly ok: boolean
  readonly isolation: string
  readonly checks: readonly Check[]
}

/** Starts a module as the service does, runs its `tests.json`, and checks how it behaves as a process. */
export async function test(path: string, least: IsolationLevel | null): Promise<TestReport> {
  await using bundle = await openBundle(path)
  const tests = await readModuleTests(path)
  const secrets = new Map<string, string>()
  const base = madeUpValues(settingFields(bundle.manifest), secrets)
  const checks: Check[] = []
  const isolation = await checkStarts(bundle, base, least, checks)
  if (isolation !== null) {
    // Tests with equal settings share a process and a data folder, so later ones may build on earlier ones.
    await rm(bundle.scratch, { recursive: true, force: true })
    for (const group of groupBySettings(tests)) await runGroup(bundle, base, group, least, secrets, checks)
  }
  return { ok: checks.every(({ ok }) => ok), isolation: isolation ?? 'none', checks }
}

/** A value for each required setting. Secrets get one that cannot occur by chance, so that a leak is noticed. */
function madeUpValues(fields: readonly SettingField[], secrets: Map<string, string>): Record<string, SettingValue> {
  const values: Record<string, SettingValue> = {}
  for (const field of fields) {
    if (field.sensitive) secrets.set(field.key, `canary-${field.key}-5f1e9c27`)
    if (!field.required || field.default !== undefined) continue
    if (field.sensitive) values[field.key] = secrets.get(field.key)!
    else if (field.enum) values[field.key] = field.enum[0]!.value
    else if (field.type === 'number') values[field.key] = field.min ?? 1
    else if (field.type === 'boolean') values[field.key] = false
    else if (field.type === 'string') values[field.key] = field.multiple ? ['example'] : 'example'
    else values[field.key] = field.multiple ? ['/tmp'] : '/tmp'
  }
  return values
}

async function checkStarts(
  bundle: OpenedBundle,
  values: Record<string, SettingValue>,
  least: IsolationLevel | null,
  checks: Check[],
): Promise<string | null> {
  const before = performance.now()
  let module: HostedModule
  try {
    module = await openModule(bundle, values, least)
  } catch (error) {
    const printed = error instanceof Error && 'stderr' in error ? (error.stderr as string[]).slice(-5) : []
    checks.push({ name: 'starts', ok: false, message: [(error as Error).message, ...printed].join('\n') })
    return null
  }
  const { runtime, link } = module
  const took = Math.round(performance.now() - before)
  checks.push({ name: 'starts', ok: true, message: `${runtime.tools.length} tools after ${took} ms.` })
  const left = runtime.problem
  checks.push({ name: 'every tool is usable', ok: left === null, message: left?.toString() ?? 'No tool was left out.' })
  const level = runtime.isolation
  const definitions = (each: HostedModule): string =>
    JSON.stringify(each.runtime.tools.map(({ name, definition_hash }) => [name, definition_hash]))
  const first = definitions(module)
  await module[Symbol.asyncDispose]()
  const { code, signal } = await link.gone
  checks.push({
    name: 'ends when standard input ends',
    ok: signal === null && code === 0,
    message:
      signal === null
        ? `It ended with code ${code}.`
        : `It had to be ended by ${signal}. Exit when standard input ends.`,
  })
  await using again = await openModule(bundle, values, least)
  const equal = definitions(again) === first
  const message = equal
    ? 'Both starts list the same definitions.'
    : 'The second start lists other definitions. Changed tools ask again: build them from nothing that changes.'
  checks.push({ name: 'lists the same tools each time', ok: equal, message })
  return level === null ? '' : `${level.level}: ${level.reason.toString()}`
}

function groupBySettings(tests: readonly ModuleTest[]): ModuleTest[][] {
  const groups = new Map<string, ModuleTest[]>()
  for (const each of tests) {
    const key = JSON.stringify(Object.entries(each.settings).sort(([a], [b]) => (a < b ? -1 : 1)))
    groups.set(key, [...(groups.get(key) ?? []), each])
  }
  return [...groups.values()]
}

async function runGroup(
  bundle: OpenedBundle,
  base: Record<string, SettingValue>,
  group: readonly ModuleTest[],
  least: IsolationLevel | null,
  secrets: ReadonlyMap<string, string>,
  checks: Check[],
): Promise<void> {
  const values = { ...base, ...group[0]!.settings }
  const canaries = [...secrets]
    .map(([key, canary]) => String(values[key] ?? canary))
    .filter((value) => value.length > 5)
  await using module = await openModule(bundle, values, least)
  const seen: string[] = []
  for (const each of group) {
    const result = await module.call(each.tool, each.arguments, (text) => seen.push(text))
    seen.push(result.text)
    checks.push({ name: each.name, ...judge(each, result) })
  }
  const noise = module.link.process()?.noise_lines ?? 0
  checks.push({
    name: 'keeps standard output clean',
    ok: noise === 0,
    message:
      noise === 0 ? 'Nothing but protocol.' : `${noise} lines were no protocol. Print to standard error instead.`,
  })
  const text = [...seen, ...module.link.stderr()].join('\n')
  const leak = canaries.find((canary) => text.includes(canary))
  if (canaries.length > 0)
    checks.push({
      name: 'prints no secret',
      ok: leak === undefined,
      message: leak === undefined ? 'No secret was seen.' : 'A sensitive setting was printed or returned.',
    })
}

function judge(
  { expect }: ModuleTest,
  { status, text, tables }: { status: string; text: string; tables: readonly unknown[] },
): Omit<Check, 'name'> {
  const failed = status !== 'done'
  const start = text.slice(0, 300)
  if (expect.error !== undefined) {
    const ok = failed && text.includes(expect.error)
    return {
      ok,
      message: ok ? 'Refused as expected.' : `Expected an error with "${expect.error}", got ${status}: ${start}`,
    }
  }
  if (failed) return { ok: false, message: `It ended as ${status}: ${start}` }
  if (expect.text !== undefined && !text.includes(expect.text))
    return { ok: false, message: `Expected "${expect.text}" in: ${start}` }
  if (expect.tables !== undefined && tables.length !== expect.tables)
    return { ok: false, message: `Expected ${expect.tables} tables, got ${tables.length}.` }
  return { ok: true, message: 'As expected.' }
}
