import type { Capabilities, ModuleReview } from '../../../contract/modules.ts'

/** A module's access as edited in the form: hosts and programs, one per line. */
export interface GrantsForm {
  readonly network: 'none' | 'hosts' | 'any'
  readonly hosts: string
  readonly folders: readonly { readonly path: string; readonly write: boolean }[]
  readonly commands: string
  readonly helpers: boolean
}

export function grantsForm({ network, folders, commands, helpers }: Capabilities): GrantsForm {
  return {
    network: typeof network === 'string' ? network : network.length === 0 ? 'none' : 'hosts',
    hosts: typeof network === 'string' ? '' : network.join('\n'),
    folders,
    commands: commands.join('\n'),
    helpers: helpers === true,
  }
}

/** Empty lines and folders without a path are left out; an empty host list means no network. */
export function grantsOf({ network, hosts, folders, commands, helpers }: GrantsForm): Capabilities {
  const names = linesOf(hosts)
  return {
    network: network === 'hosts' ? (names.length === 0 ? 'none' : names) : network,
    folders: folders.map(({ path, write }) => ({ path: path.trim(), write })).filter(({ path }) => path !== ''),
    commands: linesOf(commands),
    ...(helpers && { helpers }),
  }
}

/** Whether both grant the same access, in any order. */
export function sameGrants(a: Capabilities, b: Capabilities): boolean {
  return canonical(a) === canonical(b)
}

/**
 * The grants to send when enabling: none if they equal what the bundle declares, so that a later version that declares
 * more is reviewed again, and none for modules that are not bundles.
 */
export function grantsBody(review: ModuleReview | null, given: Capabilities): { grants?: Capabilities } {
  return review === null || sameGrants(given, review.capabilities) ? {} : { grants: given }
}

/** Whether `wanted` grants anything that `given` does not. */
export function reachesMore(wanted: Capabilities, given: Capabilities): boolean {
  const network =
    given.network !== 'any' &&
    (wanted.network === 'any' ||
      (wanted.network !== 'none' && wanted.network.some((host) => !hostsOf(given).includes(host))))
  const folders = wanted.folders.some(
    ({ path, write }) => !given.folders.some((folder) => folder.path === path && (folder.write || !write)),
  )
  const helpers = wanted.helpers === true && given.helpers !== true
  return network || folders || helpers || wanted.commands.some((command) => !given.commands.includes(command))
}

function hostsOf({ network }: Capabilities): readonly string[] {
  return typeof network === 'string' ? [] : network
}

function canonical({ network, folders, commands, helpers }: Capabilities): string {
  return JSON.stringify([
    typeof network === 'string' ? network : network.toSorted(),
    folders.map(({ path, write }) => `${path}\0${write}`).toSorted(),
    commands.toSorted(),
    helpers === true,
  ])
}

function linesOf(text: string): string[] {
  return [...new Set(text.split(/[\n,]/).map((line) => line.trim()))].filter(Boolean)
}
