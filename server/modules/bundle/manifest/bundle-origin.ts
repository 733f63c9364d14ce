import { z } from 'zod'
import { comparePythonVersions, compareVersions } from './compare-versions.ts'
import type { Manifest } from './manifest.ts'

const Names = z.array(z.string().max(300)).max(1000).default([])

/** Where a bundle says that it was packed from. It is a claim, like all of the manifest. */
const BundleOrigin = z.looseObject({
  kind: z.enum(['npm', 'pypi', 'uv']),
  name: z.string().max(214),
  range: z.string().max(200),
  /** Of a Python package: what it was asked for with. */
  extras: z.array(z.string().max(200)).max(50).default([]),
  /** Which of its programs was asked for. */
  program: z.string().max(214).optional(),
  registry: z.string().max(2000),
  /** All that is in it, as `name@version`. */
  packages: Names,
  /** Packages with scripts for their installation, which were not run. */
  scripts: Names,
  /** Optional packages that are not for the machine that it was packed on, or were not found. */
  left_out: Names,
  /** What packages wanted to share in a version that others don't want. */
  conflicts: Names,
})
export type BundleOrigin = z.infer<typeof BundleOrigin>

/** Null for a bundle that wasn't packed from packages, or doesn't say so in a way that can be read. */
export function bundleOrigin(manifest: Manifest): BundleOrigin | null {
  const parsed = BundleOrigin.safeParse(sourceOf(manifest))
  return parsed.success ? parsed.data : null
}

/** How versions of bundles are compared that were packed from packages of this kind. */
export function versionOrder(kind: BundleOrigin['kind'] | undefined): (a: string, b: string) => number {
  return kind === 'pypi' ? comparePythonVersions : compareVersions
}

/** Whether a bundle says anything of where it was packed from, even if that cannot be read. */
export function saysOrigin(manifest: Manifest): boolean {
  return sourceOf(manifest) !== undefined
}

function sourceOf(manifest: Manifest): unknown {
  return (manifest._meta?.['dev.reeve'] as { readonly source?: unknown } | undefined)?.source
}
