import type { ModuleDiagnostics } from '../../../contract/modules.ts'
import { hashOf } from '../../kernel/canonical.ts'
import { iso } from '../../kernel/time.ts'
import { checkIntegrity } from '../bundle/check-integrity.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { isolationOf } from './isolation-rule.ts'
import { maskAnswer } from './mask-answer.ts'
import { uptimeOf } from './module-detail.ts'
import { type ModuleRecord, versionOf } from './module-record.ts'
import { readContent } from './module-store.ts'
import { effectiveGrants } from './module-terms.ts'
import { settingsView } from './settings-view.ts'
import { standingOf } from './standing.ts'

const MIB = 1024 * 1024
/** What the host gives a module that says nothing of its own: for a call, and for coming up. */
const CALL_MS = 120_000
const START_MS = 15_000

/** Everything that helps to find a fault, its secrets masked wherever it repeats them. */
export async function diagnose(context: CatalogueContext, record: ModuleRecord): Promise<ModuleDiagnostics> {
  const { name, kind, current } = record
  const runtime = context.host.runtime(name)
  const running = runtime?.process ?? null
  return maskAnswer(context.vault, record, {
    name,
    display_name: record.display_name,
    version: versionOf(record),
    kind,
    ...standingOf(context, record),
    reeve_version: context.reeveVersion,
    taken_at: iso(Date.now()),
    manifest_digest: record.manifest === null ? null : hashOf(record.manifest),
    integrity: await integrityOf(context, record),
    signature: current?.signature ?? null,
    isolation: isolationOf(context, record),
    grants: effectiveGrants(record),
    protocol: runtime?.protocol ? { ...runtime.protocol, capabilities: [...runtime.protocol.capabilities] } : null,
    process:
      running === null
        ? null
        : {
            pid: running.pid,
            uptime_ms: uptimeOf(running.started_at) ?? 0,
            rss: running.rss,
            processes: running.processes,
            noise_lines: running.noise_lines,
          },
    limits: { memory: context.policy().memory_mib * MIB, call_ms: CALL_MS, start_ms: START_MS },
    restarts: runtime?.restarts ?? 0,
    last_exits: (runtime?.last_exits ?? []).map(({ at, code, signal, reason }) => ({
      at: iso(at),
      code,
      signal,
      reason,
    })),
    state_history: (runtime?.state_history ?? []).map(({ at, state, problem }) => ({ at: iso(at), state, problem })),
    settings: settingsView(record).values,
    tools: (runtime?.tools ?? []).map((tool) => ({
      name: tool.name,
      definition_hash: tool.definition_hash,
      pin: tool.pin,
    })),
    stderr: [...(runtime?.stderr ?? [])],
  })
}

async function integrityOf(
  context: CatalogueContext,
  { name, current }: ModuleRecord,
): Promise<ModuleDiagnostics['integrity']> {
  const content = current && (await readContent(context.db.read, name, current.digest))
  if (!current || !content) return { checked: 0, modified: [], missing: [], added: [] }
  return checkIntegrity(context.trees.pathOf(current.digest), content.files)
}
