import type { ModuleState } from '../../../contract/modules.ts'
import { SealError } from '../../kernel/vault.ts'
import { BundleError } from '../bundle/bundle-error.ts'
import { compareVersions } from '../bundle/compare-versions.ts'
import { missingSettings } from '../bundle/missing-settings.ts'
import { reeveMeta } from '../bundle/reeve-meta.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { isolationProblem } from './isolation-rule.ts'
import { launchOf } from './module-launch.ts'
import type { ModuleRecord } from './module-record.ts'
import { consentOf, fieldsOf, openSecrets, usableSettings } from './module-terms.ts'

export interface Standing {
  readonly state: ModuleState
  /** A sentence; null where the state says it all. */
  readonly problem: string | null
}

/** Why a module cannot run as it is, apart from being disabled; null when it can. */
export function obstacleOf(context: CatalogueContext, record: ModuleRecord): Standing | null {
  return incompatible(context, record) ?? unconfigured(context, record) ?? unreviewed(context, record)
}

/** In which state a module is: what its rows say, and when they let it run, what the host says. */
export function standingOf(context: CatalogueContext, record: ModuleRecord): Standing {
  const obstacle = obstacleOf(context, record)
  if (obstacle !== null) return obstacle
  if (!record.enabled) return { state: 'disabled', problem: null }
  const runtime = context.host.runtime(record.name)
  return runtime === undefined
    ? { state: 'starting', problem: null }
    : { state: runtime.state, problem: runtime.problem }
}

function incompatible(context: CatalogueContext, record: ModuleRecord): Standing | null {
  if (record.kind !== 'bundle') return null
  const refuse = (problem: string): Standing => ({ state: 'incompatible', problem })
  if (record.current === null) return refuse('Its current version is not known any more. Install its bundle again.')
  const { ok, problem } = context.compatibility(record.current.digest)
  if (!ok) return refuse(problem ?? 'It does not run on this machine.')
  const { min_version } = reeveMeta(record.current.manifest)
  if (min_version !== undefined && compareVersions(context.reeveVersion, min_version) < 0) {
    return refuse(`It needs Reeve ${min_version} or newer; this is ${context.reeveVersion}.`)
  }
  try {
    launchOf(
      context,
      record,
      Object.fromEntries(
        fieldsOf(record)
          .filter((f) => f.sensitive)
          .map((f) => [f.key, '-']),
      ),
    )
    return null
  } catch (error) {
    if (error instanceof BundleError) return refuse(error.message)
    throw error
  }
}

function unconfigured(context: CatalogueContext, record: ModuleRecord): Standing | null {
  try {
    const values = { ...usableSettings(record), ...openSecrets(context.vault, record) }
    const missing = missingSettings(fieldsOf(record), values)
    if (missing.length === 0) return null
    const names = missing.map(({ title, key }) => title || key).join(', ')
    return { state: 'needs_configuration', problem: `It needs settings that are not set: ${names}.` }
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    return {
      state: 'needs_configuration',
      problem: 'Its secrets were sealed with another secret key than this installation has. Enter them again.',
    }
  }
}

function unreviewed(context: CatalogueContext, record: ModuleRecord): Standing | null {
  const fault = context.faults.get(record.name)
  if (fault !== undefined && fault.digest === record.current?.digest) return fault
  if (!record.enabled || record.kind === 'builtin') return null
  if (record.consent !== consentOf(record)) {
    return { state: 'needs_review', problem: 'It wants more than was agreed to. Review it and enable it again.' }
  }
  const weak = isolationProblem(context, record)
  return weak === null ? null : { state: 'needs_review', problem: weak }
}
