import { ModuleHealth } from '../../../contract/modules.ts'
import { quoted, say, type Sentence } from '../../kernel/sentence.ts'
import { iso } from '../../kernel/time.ts'
import { reeveMeta } from '../bundle/manifest/reeve-meta.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { installedIntegrity } from './installed-integrity.ts'
import { isolationOf, isolationProblem } from './settings/isolation-rule.ts'
import { maskAnswer } from './settings/mask-answer.ts'
import { sentenceOf } from '../spec/module-problem.ts'
import type { ModuleRecord } from './store/module-record.ts'
import { standingOf } from './standing.ts'

const PROBE_MS = 10_000
const RECENT_MS = 60 * 60_000
const BADNESS = ['disabled', 'healthy', 'degraded', 'unhealthy'] as const

type Check = ModuleHealth['checks'][number]
interface Finding {
  readonly status: Check['status']
  readonly message: Sentence
  readonly fix?: Sentence
}

/** Probes a module now, in the process that runs it. */
export async function probeHealth(
  context: CatalogueContext,
  record: ModuleRecord,
  language: string,
): Promise<ModuleHealth> {
  const there = await context.shared?.askOwner(record.name, 'health', { language })
  return there === undefined ? probeHere(context, record, language) : ModuleHealth.parse(there)
}

/** With independent checks, so that one that fails or hangs does not hide the others. */
export async function probeHere(
  context: CatalogueContext,
  record: ModuleRecord,
  language: string,
): Promise<ModuleHealth> {
  const timed = (name: string, check: Probe): Promise<Check> => timedIn(language, name, check)
  const checks = [await timed('settings', () => settings(context, record))]
  if (record.kind === 'bundle') {
    checks.push(await timed('files', () => files(context, record)))
    checks.push(await timed('isolation', () => isolation(context, record)))
  }
  if (record.enabled) {
    checks.push(await timed('process', () => processState(context, record)))
    const runtime = context.host.runtime(record.name)
    if (runtime?.state === 'running' || runtime?.state === 'degraded') {
      checks.push(
        ...(await Promise.all([
          timed('answers', () => answers(context, record)),
          timed('tools', () => tools(context, record)),
          timed('restarts', () => restarts(context, record)),
          ...ownCheck(context, record).map((check) => timed('own check', check)),
        ])),
      )
    }
  }
  const worst = Math.max(...checks.map(({ status }) => BADNESS.indexOf(status)))
  const status = record.enabled ? BADNESS[worst]! : 'disabled'
  return maskAnswer(context.vault, record, { status, checks, checked_at: iso(Date.now()) })
}

type Probe = () => Finding | Promise<Finding>

async function timedIn(language: string, name: string, check: Probe): Promise<Check> {
  const started = performance.now()
  const end = ({ status, message, fix }: Finding): Check => ({
    name,
    status,
    message: message.in(language),
    ...(fix === undefined ? {} : { fix: fix.in(language) }),
    duration_ms: Math.round(performance.now() - started),
  })
  try {
    return end(await check())
  } catch (error) {
    return end({ status: 'unhealthy', message: sentenceOf(error) })
  }
}

function settings(context: CatalogueContext, record: ModuleRecord): Finding {
  const { state, problem } = standingOf(context, record)
  if (state !== 'needs_configuration') return { status: 'healthy', message: say`Everything that is required is set.` }
  return {
    status: 'unhealthy',
    message: problem ?? say`A setting is missing.`,
    fix: say`Fill in the settings and save them.`,
  }
}

async function files(context: CatalogueContext, record: ModuleRecord): Promise<Finding> {
  const found = await installedIntegrity(context, record)
  if (found === null)
    return { status: 'unhealthy', message: say`The version is not known.`, fix: say`Install its bundle again.` }
  const [modified, missing, added] = [found.modified.length, found.missing.length, found.added.length]
  if (modified + missing + added === 0)
    return { status: 'healthy', message: say`${found.checked} files are as installed.` }
  const message = say`Of its files ${modified} changed, ${missing} are missing, ${added} were added.`
  return { status: 'unhealthy', message, fix: say`Repair the module: its files are unpacked again.` }
}

function isolation(context: CatalogueContext, record: ModuleRecord): Finding {
  const weak = isolationProblem(context, record)
  if (weak !== null)
    return {
      status: 'unhealthy',
      message: weak,
      fix: say`Install what is missing on the machine, or change the policy.`,
    }
  const { level, reason } = isolationOf(context, record)
  return {
    status: level === 'isolated' ? 'healthy' : 'degraded',
    message: say`It is kept apart as ${level}. ${reason}`,
  }
}

function processState(context: CatalogueContext, record: ModuleRecord): Finding {
  const { state, problem } = standingOf(context, record)
  if (state === 'running') return { status: 'healthy', message: say`It runs.` }
  if (state === 'degraded' || state === 'starting')
    return { status: 'degraded', message: problem ?? say`It is starting.` }
  const fixes: Partial<Record<typeof state, Sentence>> = {
    failed: say`Read its log, correct its settings, and enable it again.`,
    retrying: say`It is tried again by itself. Its log says why it went away.`,
    needs_review: say`Review it and enable it again.`,
    needs_configuration: say`Fill in the settings and save them.`,
  }
  const fix = fixes[state]
  const finding: Finding = { status: 'unhealthy', message: problem ?? say`It is ${state}.` }
  return fix === undefined ? finding : { ...finding, fix }
}

async function answers(context: CatalogueContext, { name }: ModuleRecord): Promise<Finding> {
  const milliseconds = await context.host.ping(name, AbortSignal.timeout(PROBE_MS))
  const slow = milliseconds > PROBE_MS / 4
  return { status: slow ? 'degraded' : 'healthy', message: say`It answered within ${Math.ceil(milliseconds)} ms.` }
}

function tools(context: CatalogueContext, { name }: ModuleRecord): Finding {
  const all = context.host.runtime(name)?.tools ?? []
  const open = all.filter(({ pin }) => pin === 'new' || pin === 'changed')
  if (open.length === 0) return { status: 'healthy', message: say`It offers ${all.length} tools.` }
  const message = say`It offers ${all.length} tools; ${open.length} are new or changed and ask before each call.`
  return { status: 'degraded', message, fix: say`Look at these tools and agree to them.` }
}

function restarts(context: CatalogueContext, { name }: ModuleRecord): Finding {
  const recent = (context.host.runtime(name)?.last_exits ?? []).filter(({ at }) => at > Date.now() - RECENT_MS)
  const [last] = recent
  if (last === undefined) return { status: 'healthy', message: say`It did not go away within the last hour.` }
  return { status: 'degraded', message: say`It went away ${recent.length} times within the last hour. ${last.reason}` }
}

/** Calls the tool that the module names for health checks, unless that tool may change something. */
function ownCheck(context: CatalogueContext, { name, manifest }: ModuleRecord): (() => Promise<Finding>)[] {
  const tool = manifest === null ? undefined : reeveMeta(manifest).health?.tool
  const found = tool === undefined ? undefined : context.host.runtime(name)?.tools.find((each) => each.name === tool)
  if (found?.effect !== 'read') return []
  return [
    async () => {
      const request = {
        tool_call_id: `health-${name}`,
        module: name,
        tool: found.name,
        input: {},
        user_id: '',
        run_id: '',
        conversation_id: '',
        ask: () => Promise.resolve({ action: 'cancel' as const }),
      }
      const { status, text } = await context.host.call(request, AbortSignal.timeout(PROBE_MS), () => undefined)
      const message = text === '' ? say`It ended as ${status}.` : quoted(text.slice(0, 1000))
      return { status: status === 'done' ? 'healthy' : 'unhealthy', message }
    },
  ]
}
