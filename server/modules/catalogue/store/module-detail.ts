import type { ModuleDetail } from '../../../../contract/modules.ts'
import { wordedTool } from '../../../kernel/worded-tool.ts'
import { byName } from '../../../kernel/text/name-order.ts'
import { iso, isoOrNull } from '../../../kernel/time.ts'
import { signatureIn } from '../../bundle/signature/found-signature.ts'
import { httpAddress, moduleTexts } from '../../bundle/manifest/module-texts.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { keptRules } from '../install/kept-rules.ts'
import { maskAnswer } from '../settings/mask-answer.ts'
import { signInOf } from '../settings/remote-settings.ts'
import { memoryLimit } from '../settings/memory-limit.ts'
import { promptTexts } from '../../mcp/prompt-list.ts'
import { moduleEntry } from './module-entry.ts'
import { moduleRuns } from './module-runs.ts'
import type { ModuleRecord } from './module-record.ts'
import { wordingOf } from '../module-wording.ts'
import { effectiveGrants } from '../module-terms.ts'
import { reviewOf } from '../install/module-review.ts'

const HISTORY_LIMIT = 50

/** Everything that the page of one module shows, with the module's secrets masked wherever it repeats them. */
export async function moduleDetail(
  context: CatalogueContext,
  record: ModuleRecord,
  language: string,
): Promise<ModuleDetail> {
  const { name, kind, current, versions, manifest } = record
  const runtime = context.host.runtime(name)
  const wording = wordingOf(record, language)
  const logs = kind !== 'builtin' && runtime?.protocol?.capabilities.includes('logging') === true
  const texts = manifest === null ? null : moduleTexts(manifest, wording)
  const rules = await context.rules.about(name)
  const entries = await context.audit.about(name, HISTORY_LIMIT)
  const ordered = [...versions].sort((a, b) => Number(b === current) - Number(a === current))
  return maskAnswer(context.vault, record, {
    ...moduleEntry(context, record, language),
    long_description: texts?.long_description ?? '',
    author: texts?.author ?? '',
    license: texts?.license ?? null,
    homepage: texts?.homepage ?? null,
    documentation: texts?.documentation ?? null,
    enabled: record.enabled,
    url: record.url === null ? null : (httpAddress(record.url) ?? ''),
    connection: connectionOf(record, language),
    review: await reviewOf(context, record, language),
    grants: effectiveGrants(record),
    extras: record.extras,
    rules: [...rules],
    kept_rules: await keptRules(context, record, rules),
    memory: memoryOf(context, record),
    runs: moduleRuns(context, record, language),
    tools: byName(runtime?.tools ?? [], language, ({ title }) => wording.text(title)).map((tool) => ({
      ...tool,
      // What an administrator agrees to is shown as the module wrote it.
      ...(kind === 'builtin' ? wordedTool(tool, wording) : { title: wording.text(tool.title) }),
    })),
    instructions: runtime?.instructions ?? null,
    prompts: (runtime?.prompts ?? []).map((prompt) => promptTexts(prompt, wording)),
    versions: ordered.map(({ version, digest, size, installed_at, signature }) => ({
      version,
      digest,
      size,
      installed_at: iso(installed_at),
      signature: signatureIn(signature, language),
      current: digest === current?.digest,
    })),
    // A user or role may have the same name as a module.
    history: entries
      .filter(({ action }) => action.startsWith('module.'))
      .map(({ at, actor, action, outcome, details }) => ({ at, actor, action, outcome, details })),
    installed_at: isoOrNull(current?.installed_at ?? (record.kind === 'remote' ? record.created_at : null)),
    uptime_ms: uptimeOf(runtime?.started_at ?? null),
    restarts: runtime?.restarts ?? 0,
    ...((record.log_level !== null || logs) && { log_level: record.log_level }),
    log: [...(runtime?.stderr ?? [])],
  })
}

function memoryOf(context: CatalogueContext, record: ModuleRecord): ModuleDetail['memory'] {
  if (record.kind !== 'bundle') return null
  return {
    used: context.host.runtime(record.name)?.process?.memory ?? null,
    limit: memoryLimit(context, record),
    own_mib: record.memory_mib,
    policy_mib: context.requirements().memory_mib,
  }
}

export function uptimeOf(started_at: number | null): number | null {
  return started_at === null ? null : Math.max(0, Math.round(Date.now() - started_at))
}

function connectionOf(record: ModuleRecord, language: string): ModuleDetail['connection'] {
  const sign_in = signInOf(record)
  const { connection } = record
  if (sign_in === null) return null
  return {
    sign_in,
    status: connection?.status ?? 'never',
    issuer: connection?.issuer ?? null,
    connected_at: isoOrNull(connection?.connected_at ?? null),
    problem: connection?.problem?.in(language) ?? null,
  }
}
