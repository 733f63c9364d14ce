import { say, type Sentence } from '../../../kernel/sentence.ts'
import { BundleError } from '../../bundle/bundle-error.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { launchOf } from '../module-launch.ts'
import type { ModuleRecord } from '../store/module-record.ts'
import type { FoundIsolation } from '../../spec/module-link.ts'
import { reachableNow } from '../module-terms.ts'

/** Best first, in the order of the contract's IsolationLevel. */
const LADDER: readonly string[] = ['isolated', 'restricted', 'guarded', 'process']

/** The isolation of a module: as it runs now, or else as it would be started. */
export function isolationOf(context: CatalogueContext, record: ModuleRecord): FoundIsolation {
  if (record.kind === 'builtin') return { level: 'builtin', reason: say`Part of Reeve, in its process.` }
  if (record.kind === 'remote')
    return { level: 'remote', reason: say`On another machine, which keeps it apart or does not.` }
  return context.host.runtime(record.name)?.isolation ?? plannedIsolation(context, record)
}

/** Why the policy does not let a bundle start on this machine; null when it does. */
export function isolationProblem(context: CatalogueContext, record: ModuleRecord): Sentence | null {
  if (record.kind !== 'bundle') return null
  const trust = record.current?.signature.state === 'trusted' ? 'trusted' : 'untrusted'
  const least = context.requirements().least_isolation[trust]
  const { level, reason } = plannedIsolation(context, record)
  if (LADDER.indexOf(level) <= LADDER.indexOf(least)) return null
  return trust === 'trusted'
    ? say`The policy wants trusted modules at least ${least}, and this machine gives it ${level}. ${reason}`
    : say`The policy wants untrusted modules at least ${least}, and this machine gives it ${level}. ${reason}`
}

function plannedIsolation(context: CatalogueContext, record: ModuleRecord): FoundIsolation {
  try {
    return context.sandbox.level(launchOf(context, record, {}), reachableNow(record, null))
  } catch (error) {
    if (error instanceof BundleError) return { level: 'process', reason: say`It cannot be started as it is.` }
    throw error
  }
}
