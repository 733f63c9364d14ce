import { satisfies, validRange } from 'semver'
import { say } from '../../../kernel/sentence.ts'
import { shownText } from '../../bundle/manifest/shown-text.ts'
import { SourceError } from '../source-error.ts'
import { type PackLimits, tooMuch } from '../pack-limits.ts'
import type { PackageDocument, PackageVersion } from './package-document.ts'
import { pickVersion, readRequest } from './pick-version.ts'

/** A package at its place in a tree of `node_modules`. */
export interface PlacedPackage {
  /** Folder below the root: `node_modules/a/node_modules/@b/c`. */
  readonly path: string
  readonly version: PackageVersion
  readonly optional: boolean
}

export interface ResolvedTree {
  /** The first one is what was asked for. */
  readonly packages: readonly PlacedPackage[]
  /** Optional packages that were left out, each with the reason in English. */
  readonly left_out: readonly { readonly name: string; readonly why: string }[]
  /** Packages that were wanted in another version by those that share them. */
  readonly conflicts: readonly { readonly name: string; readonly wanted: string; readonly by: string }[]
}

/** The machine that the tree is for. */
export interface Target {
  readonly os: string
  readonly cpu: string
  /** `glibc` or `musl` on Linux, else null. */
  readonly libc: string | null
}

export interface ResolveOptions {
  readonly document: (name: string) => Promise<PackageDocument>
  readonly limits: PackLimits
  readonly target: Target
}

/** Packages that were left out or are wanted otherwise, of each so many are named. */
const LISTED = 1000

interface Node {
  readonly placed: PlacedPackage | null
  readonly parent: Node | null
  readonly depth: number
  readonly children: Map<string, Node>
}
interface Edge {
  readonly name: string
  readonly wanted: string
  readonly optional: boolean
  readonly peer: boolean
}

/**
 * Decides which version of each package a package needs, and in which folder it lies: at the root where that is free,
 * and with the package that wants it where another version has the root. Whoever looks a name up from its folder
 * upwards, as Node does, finds a version that fits.
 * @throws {SourceError}
 */
export async function resolveTree(name: string, range: string, options: ResolveOptions): Promise<ResolvedTree> {
  const { document, limits, target } = options
  const root: Node = { placed: null, parent: null, depth: 0, children: new Map() }
  const packages: PlacedPackage[] = []
  const left_out: { name: string; why: string }[] = []
  const conflicts: { name: string; wanted: string; by: string }[] = []
  const queue: Node[] = []

  function conflict({ name: by }: PackageVersion, { name: of, wanted: version }: Edge): void {
    if (conflicts.length < LISTED) conflicts.push({ name: of, wanted: version, by })
  }

  async function choose(from: string, edge: Edge): Promise<PackageVersion | null> {
    try {
      const request = readRequest(edge.name, edge.wanted)
      if (request === null || !packageName(request.name)) throw elsewhere(from, edge.name, edge.wanted)
      const version = pickVersion(await document(request.name), request.range)
      if (version === null)
        throw new SourceError(
          'source_not_found',
          say`There is no version ${shownText(request.range)} of ${request.name}.`,
        )
      if (runsOn(version, target)) return version
      if (!edge.optional)
        throw new SourceError(
          'source_refused',
          say`${version.name} ${version.version} is not for this machine (${target.os}, ${target.cpu}).`,
        )
      return null
    } catch (error) {
      if (!edge.optional || !(error instanceof SourceError) || error.code === 'source_too_large') throw error
      if (left_out.length < LISTED) left_out.push({ name: edge.name, why: error.message })
      return null
    }
  }

  function place(at: Node, edge: Edge, version: PackageVersion): void {
    if (packages.length >= limits.packages) throw tooMuch(limits)
    const depth = at.depth + 1
    if (depth > limits.depth) throw tooMuch(limits)
    const folder = at.placed === null ? '' : `${at.placed.path}/`
    const optional = edge.optional || (at.placed?.optional ?? false)
    const placed = { path: `${folder}node_modules/${edge.name}`, version, optional }
    const node: Node = { placed, parent: at, depth, children: new Map() }
    at.children.set(edge.name, node)
    packages.push(placed)
    queue.push(node)
  }

  async function follow(node: Node): Promise<void> {
    const { version } = node.placed!
    const edges = edgesOf(version)
    // Asked for together, used one after the other: the tree doesn't depend on who answers first.
    const chosen = edges.map((edge) => {
      const start = edge.peer ? node.parent! : node
      if (fits(find(start, edge.name), edge)) return null
      const asked = choose(version.name, edge)
      asked.catch(() => undefined)
      return asked
    })
    for (const [index, edge] of edges.entries()) {
      const start = edge.peer ? node.parent! : node
      const found = find(start, edge.name)
      if (fits(found, edge)) continue
      const best = await (chosen[index] ?? choose(version.name, edge))
      if (best === null) continue
      if (found === null) place(root, edge, best)
      else if (!node.children.has(edge.name)) {
        if (edge.peer) conflict(version, edge)
        place(node, edge, best)
      } else conflict(version, edge)
    }
  }

  const wanted: Edge = { name, wanted: range, optional: false, peer: false }
  place(root, wanted, (await choose(name, wanted))!)
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) await follow(next)
  return { packages, left_out, conflicts }
}

function find(from: Node, name: string): Node | null {
  for (let at: Node | null = from; at !== null; at = at.parent) {
    const child = at.children.get(name)
    if (child !== undefined) return child
  }
  return null
}

function fits(found: Node | null, { name, wanted }: Edge): boolean {
  if (found === null) return false
  const { version } = found.placed!
  const request = readRequest(name, wanted)
  if (request === null || request.name !== version.name) return false
  // What a tag means was chosen once and holds for the whole tree.
  return validRange(request.range) === null || request.range === '*' || satisfies(version.version, request.range)
}

function edgesOf(version: PackageVersion): Edge[] {
  const bundled = version.bundleDependencies
  const inside = (name: string) => bundled === true || (Array.isArray(bundled) && bundled.includes(name))
  const edges = new Map<string, Edge>()
  for (const [name, wanted] of Object.entries(version.peerDependencies ?? {})) {
    if (version.peerDependenciesMeta?.[name]?.optional !== true)
      edges.set(name, { name, wanted, optional: false, peer: true })
  }
  for (const [name, wanted] of Object.entries(version.dependencies ?? {}))
    edges.set(name, { name, wanted, optional: false, peer: false })
  for (const [name, wanted] of Object.entries(version.optionalDependencies ?? {}))
    edges.set(name, { name, wanted, optional: true, peer: false })
  const named = [...edges.values()].filter(({ name }) => !inside(name)).sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const { name } of named) {
    if (!packageName(name)) throw elsewhere(version.name, name, '')
  }
  return named
}

function elsewhere(from: string, name: string, wanted: string): SourceError {
  const where = shownText(`${name}@${wanted}`)
  return new SourceError('source_refused', say`${from} needs “${where}”, and only packages of a registry are fetched.`)
}

/** Whether a name can be a package's, and so a folder's. */
export function packageName(name: string): boolean {
  return name.length <= 214 && /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i.test(name) && name !== 'node_modules'
}

function runsOn({ os, cpu, libc }: PackageVersion, target: Target): boolean {
  const listed = (list: readonly string[] | undefined, value: string | null): boolean => {
    if (list === undefined || list.length === 0 || list.includes('any')) return true
    if (value === null) return false
    if (list.includes(`!${value}`)) return false
    return list.includes(value) || list.every((one) => one.startsWith('!'))
  }
  return listed(os, target.os) && listed(cpu, target.cpu) && (target.os !== 'linux' || listed(libc, target.libc))
}
