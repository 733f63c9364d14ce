import { ModuleDiagnostics } from '../../../contract/modules.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { iso } from '../../kernel/time.ts'
import { signatureIn } from '../bundle/signature/found-signature.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { isolationOf } from './settings/isolation-rule.ts'
import { maskAnswer } from './settings/mask-answer.ts'
import { memoryLimit } from './settings/memory-limit.ts'
import { displayName, isolationIn } from './store/module-entry.ts'
import { uptimeOf } from './store/module-detail.ts'
import { type ModuleRecord, versionOf } from './store/module-record.ts'
import { effectiveGrants } from './module-terms.ts'
import { installedIntegrity } from './installed-integrity.ts'
import { settingsView } from './settings/settings-view.ts'
import { standingOf } from './standing.ts'

/** The host's time limit for a call, unless a tool sets its own. */
const CALL_MS = 120_000

/** Everything that helps to find a fault, from the process that runs the module. */
export async function diagnose(
  context: CatalogueContext,
  record: ModuleRecord,
  language: string,
): Promise<ModuleDiagnostics> {
  const there = await context.shared?.askOwner(record.name, 'diagnose', { language })
  return there === undefined ? diagnoseHere(context, record, language) : ModuleDiagnostics.parse(there)
}

/** With the module's secrets masked wherever it repeats them. */
export async function diagnoseHere(
  context: CatalogueContext,
  record: ModuleRecord,
  language: string,
): Promise<ModuleDiagnostics> {
  const { name, kind, current } = record
  const runtime = context.host.runtime(name)
  const { state, problem } = standingOf(context, record)
  const running = runtime?.process ?? null
  return maskAnswer(context.vault, record, {
    name,
    display_name: displayName(record, language),
    version: versionOf(record),
    kind,
    state,
    problem: problem?.in(language) ?? null,
    reeve_version: context.reeveVersion,
    taken_at: iso(Date.now()),
    manifest_digest: record.manifest === null ? null : hashOf(record.manifest),
    integrity: (await installedIntegrity(context, record)) ?? { checked: 0, modified: [], missing: [], added: [] },
    signature: current === null ? null : signatureIn(current.signature, language),
    isolation: isolationIn(isolationOf(context, record), language),
    grants: effectiveGrants(record),
    protocol: runtime?.protocol ? { ...runtime.protocol, capabilities: [...runtime.protocol.capabilities] } : null,
    process:
      running === null
        ? null
        : {
            pid: running.pid,
            uptime_ms: uptimeOf(running.started_at) ?? 0,
            memory: running.memory,
            processes: running.processes,
            noise_lines: running.noise_lines,
          },
    limits: { memory: memoryLimit(context, record), call_ms: CALL_MS, start_ms: context.limits.start_ms },
    restarts: runtime?.restarts ?? 0,
    last_exits: (runtime?.last_exits ?? []).map(({ at, code, signal, reason }) => ({
      at: iso(at),
      code,
      signal,
      reason: reason.in(language),
    })),
    state_history: (runtime?.state_history ?? []).map(({ at, state: entered, problem: why }) => ({
      at: iso(at),
      state: entered,
      problem: why?.in(language) ?? null,
    })),
    settings: settingsView(record, language).values,
    tools: (runtime?.tools ?? []).map((tool) => ({
      name: tool.name,
      definition_hash: tool.definition_hash,
      pin: tool.pin,
    })),
    stderr: [...(runtime?.stderr ?? [])],
  })
}
