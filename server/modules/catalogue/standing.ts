import type { ModuleState } from '../../../contract/modules.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { SealError } from '../../kernel/vault.ts'
import { BundleError } from '../bundle/bundle-error.ts'
import { compareVersions } from '../bundle/manifest/compare-versions.ts'
import { missingSettings } from '../bundle/settings/missing-settings.ts'
import { reeveMeta } from '../bundle/manifest/reeve-meta.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { signInOf } from './settings/remote-settings.ts'
import { isolationProblem } from './settings/isolation-rule.ts'
import { launchOf } from './module-launch.ts'
import type { ModuleRecord } from './store/module-record.ts'
import { consentOf, fieldsOf, openSecrets, usableSettings } from './module-terms.ts'

export interface Standing {
  readonly state: ModuleState
  /** Null when the state says it all. */
  readonly problem: Sentence | null
}

/** What prevents a module from running, and the error with which enabling it is refused. */
export interface Obstacle extends Standing {
  readonly problem: Sentence
  readonly refusal: 'module_incompatible' | 'isolation_too_weak' | 'module_start_failed'
}

/** Why a module cannot run as it is, apart from being disabled; null when it can. */
export function obstacleOf(context: CatalogueContext, record: ModuleRecord): Obstacle | null {
  return (
    incompatible(context, record) ?? unconfigured(context, record) ?? unconnected(record) ?? unreviewed(context, record)
  )
}

/** The state of a module: what its rows say or, if they let it run, what the host says. */
export function standingOf(context: CatalogueContext, record: ModuleRecord): Standing {
  const obstacle = obstacleOf(context, record)
  if (obstacle !== null) return obstacle
  if (!record.enabled) return { state: 'disabled', problem: null }
  const runtime = context.host.runtime(record.name)
  return runtime === undefined
    ? { state: 'starting', problem: null }
    : { state: runtime.state, problem: runtime.problem }
}

function incompatible(context: CatalogueContext, record: ModuleRecord): Obstacle | null {
  if (record.kind !== 'bundle') return null
  const refuse = (problem: Sentence): Obstacle => ({
    state: 'incompatible',
    problem,
    refusal: 'module_incompatible',
  })
  if (record.current === null) return refuse(say`Its current version is not known any more. Install its bundle again.`)
  const { ok, problem } = context.compatibility(record.current.digest)
  if (!ok) return refuse(problem ?? say`It does not run on this machine.`)
  const { min_version } = reeveMeta(record.current.manifest)
  if (min_version !== undefined && compareVersions(context.reeveVersion, min_version) < 0) {
    return refuse(say`It needs Reeve ${min_version} or newer; this is ${context.reeveVersion}.`)
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
    if (error instanceof BundleError) return refuse(error.detail)
    throw error
  }
}

function unconfigured(context: CatalogueContext, record: ModuleRecord): Obstacle | null {
  try {
    const values = { ...usableSettings(record), ...openSecrets(context.vault, record) }
    const missing = missingSettings(fieldsOf(record), values)
    if (missing.length === 0) return null
    const names = missing.map(({ title, key }) => title || key).join(', ')
    return unset(say`It needs settings that are not set: ${names}.`)
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    return unset(say`Its secrets were sealed with another secret key than this installation has. Enter them again.`)
  }
}

function unconnected(record: ModuleRecord): Obstacle | null {
  if (signInOf(record) === null || record.connection?.status === 'connected') return null
  return unset(record.connection?.problem ?? say`It has to be connected first.`)
}

function unset(problem: Sentence): Obstacle {
  return { state: 'needs_configuration', problem, refusal: 'module_start_failed' }
}

function unreviewed(context: CatalogueContext, record: ModuleRecord): Obstacle | null {
  const fault = context.faults.get(record.name)
  if (fault !== undefined && fault.digest === record.current?.digest)
    return { ...fault, refusal: 'module_start_failed' }
  if (!record.enabled || record.kind === 'builtin') return null
  if (record.consent !== consentOf(record)) {
    const problem = say`It wants more than was agreed to. Review it and enable it again.`
    return { state: 'needs_review', problem, refusal: 'module_start_failed' }
  }
  const weak = isolationProblem(context, record)
  return weak === null ? null : { state: 'needs_review', problem: weak, refusal: 'isolation_too_weak' }
}
