import { z } from 'zod'

const Names = z.record(z.string(), z.string()).optional().catch(undefined)
const Words = z.array(z.string()).optional().catch(undefined)

/**
 * One version of a package, as a registry describes it. What is of another form counts as missing, and nothing else is
 * kept: of thousands of descriptions that would be too much.
 */
const PackageVersion = z.object({
  name: z.string(),
  version: z.string(),
  deprecated: z.union([z.string(), z.boolean()]).optional().catch(undefined),
  dependencies: Names,
  optionalDependencies: Names,
  peerDependencies: Names,
  peerDependenciesMeta: z
    .record(z.string(), z.object({ optional: z.boolean().optional() }))
    .optional()
    .catch(undefined),
  bundleDependencies: z
    .union([z.array(z.string()), z.boolean()])
    .optional()
    .catch(undefined),
  os: Words,
  cpu: Words,
  libc: Words,
  dist: z.object({
    tarball: z.string(),
    integrity: z.string().optional(),
  }),
})
export type PackageVersion = z.infer<typeof PackageVersion>

/** All versions of a package; one that cannot be read is left out. */
export interface PackageDocument {
  readonly name: string
  readonly tags: Readonly<Record<string, string>>
  readonly versions: ReadonlyMap<string, PackageVersion>
}

const Document = z.object({
  'dist-tags': z.record(z.string(), z.string()).catch({}),
  versions: z.record(z.string(), z.unknown()),
})

/** Null for what is no such document. */
export function readPackageDocument(name: string, value: unknown): PackageDocument | null {
  const parsed = Document.safeParse(value)
  if (!parsed.success) return null
  const versions = new Map<string, PackageVersion>()
  for (const [version, one] of Object.entries(parsed.data.versions)) {
    const read = PackageVersion.safeParse(one)
    // A document that describes one package under the name of another would be taken for it.
    if (read.success && read.data.name === name && read.data.version === version) versions.set(version, read.data)
  }
  return { name, tags: parsed.data['dist-tags'], versions }
}
