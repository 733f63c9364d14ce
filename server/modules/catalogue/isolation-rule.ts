import type { Isolation } from '../../../contract/modules.ts'
import { BundleError } from '../bundle/bundle-error.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { launchOf } from './module-launch.ts'
import type { ModuleRecord } from './module-record.ts'
import { effectiveGrants } from './module-terms.ts'

/** Best first, as the contract's IsolationLevel has them. */
const LADDER: readonly string[] = ['isolated', 'restricted', 'guarded', 'process']

/** How a module is kept apart: as it runs now, else as it would be started. */
export function isolationOf(context: CatalogueContext, record: ModuleRecord): Isolation {
  if (record.kind === 'builtin') return { level: 'builtin', reason: 'Part of Reeve, in its process.' }
  if (record.kind === 'remote')
    return { level: 'remote', reason: 'On another machine, which keeps it apart or does not.' }
  return context.host.runtime(record.name)?.isolation ?? plannedIsolation(context, record)
}

/** Why the policy does not let a bundle start on this machine, in a sentence; null when it does. */
export function isolationProblem(context: CatalogueContext, record: ModuleRecord): string | null {
  if (record.kind !== 'bundle') return null
  const trust = record.current?.signature.state === 'trusted' ? 'trusted' : 'untrusted'
  const least = context.policy().least_isolation[trust]
  const { level, reason } = plannedIsolation(context, record)
  if (LADDER.indexOf(level) <= LADDER.indexOf(least)) return null
  return `The policy wants ${trust} modules at least ${least}, and this machine gives it ${level}. ${reason}`
}

function plannedIsolation(context: CatalogueContext, record: ModuleRecord): Isolation {
  try {
    return context.sandbox.level(launchOf(context, record, {}), effectiveGrants(record))
  } catch (error) {
    if (error instanceof BundleError) return { level: 'process', reason: 'It cannot be started as it is.' }
    throw error
  }
}
