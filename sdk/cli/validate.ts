import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { BundleError } from '../../server/modules/bundle/bundle-error.ts'
import { compatibility } from '../../server/modules/bundle/manifest/compatibility.ts'
import { lintManifest } from '../../server/modules/bundle/lint/lint-manifest.ts'
import { reviewBundle } from '../../server/modules/bundle/review/review-bundle.ts'
import { reeveMeta } from '../../server/modules/bundle/manifest/reeve-meta.ts'
import { openBundle, type OpenedBundle } from './opened-bundle.ts'

export interface Finding {
  readonly code: string
  readonly level: 'error' | 'warn' | 'info'
  readonly message: string
  /** The place: a key of the manifest, or a file. */
  readonly path: string
}

export interface Validation {
  readonly ok: boolean
  /** Null when it cannot be installed. */
  readonly grade: 'bronze' | 'silver' | 'gold' | null
  readonly findings: readonly Finding[]
}

const LEVELS = { danger: 'error', warn: 'warn', info: 'info' } as const

/**
 * Everything that the service or an administrator would object to in this module, a folder or a bundle. Starts nothing.
 */
export async function validate(path: string): Promise<Validation> {
  try {
    await using bundle = await openBundle(path)
    const findings = [...judge(bundle), ...(await missingParts(path, bundle))]
    const has = (level: Finding['level']): boolean => findings.some((finding) => finding.level === level)
    const grade = has('error') ? null : has('warn') ? 'bronze' : findings.length > 0 ? 'silver' : 'gold'
    return { ok: !has('error'), grade, findings }
  } catch (error) {
    if (!(error instanceof BundleError)) throw error
    const finding = { code: error.code, level: 'error', message: error.message, path: error.entry ?? '' } as const
    return { ok: false, grade: null, findings: [finding] }
  }
}

function judge(bundle: OpenedBundle): Finding[] {
  const lints = lintManifest(bundle.manifest, Object.keys(bundle.files))
  const { problem } = compatibility(bundle.manifest, bundle.files, bundle.natives)
  const known = new Set(lints.map(({ code }) => code))
  const warnings = reviewBundle(bundle)
    // Authors sign a bundle after validating it.
    .warnings.filter(({ code }) => code !== 'unsigned' && !known.has(code))
    .map(({ code, level, message }) => ({ code, level: LEVELS[level], message, path: 'manifest.json' }))
  const incompatible: Finding[] =
    problem === null
      ? []
      : [{ code: 'incompatible', level: 'warn', message: problem.toString(), path: 'compatibility' }]
  return [...incompatible, ...lints, ...warnings]
}

/** What a module can do without but a good one has. */
async function missingParts(path: string, { manifest, files }: OpenedBundle): Promise<Finding[]> {
  const tested = await access(join(path, 'tests.json')).then(
    () => true,
    () => path.endsWith('.json') || 'tests.json' in files || /\.(mcpb|zip|dxt)$/.test(path),
  )
  const missing: [boolean, string, string, string][] = [
    [manifest.icon === undefined, 'no_icon', 'There is no icon.', 'icon'],
    [
      manifest.long_description === undefined,
      'no_long_description',
      'There is no long description.',
      'long_description',
    ],
    [manifest.license === undefined, 'no_license', 'No licence is named.', 'license'],
    [
      reeveMeta(manifest).health?.tool === undefined,
      'no_health',
      'No health check is named.',
      '_meta.dev.reeve.health',
    ],
    [!tested, 'no_tests', 'There is no tests.json.', 'tests.json'],
  ]
  return missing
    .filter(([is]) => is)
    .map(([, code, message, where]) => ({ code, level: 'info' as const, message, path: where }))
}
