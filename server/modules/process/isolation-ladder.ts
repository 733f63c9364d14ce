import { basename } from 'node:path'
import type { Capabilities } from '../../../contract/modules.ts'
import { inARow } from '../../kernel/joined-sentences.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import type { Launch } from '../spec/launch.ts'
import type { FoundIsolation } from '../spec/module-link.ts'
import type { Findings } from '../../sandbox/findings.ts'
import { canLimitNode } from './node-permission.ts'

const FILES = say`Node limits which files it reaches and which programs it starts, which does not hold against a hostile module.`

/** The best isolation available for this module here, and why not better. */
export function chooseIsolation(findings: Findings, launch: Launch, grants: Capabilities): FoundIsolation {
  if (findings.bwrap.why === null)
    return { level: 'isolated', reason: isolatedReason(launch.saidNetwork ?? grants.network) }
  const why = whyNotIsolated(findings, findings.bwrap.why)
  const obstacle = isNode(launch.command, findings.node)
    ? findings.permission.files
      ? canLimitNode(launch, grants)
      : say`this Node cannot limit it`
    : say`${basename(launch.command)} is not Node`
  if (obstacle !== null) {
    const reason = say`It is not kept apart and can reach whatever the service can reach: ${obstacle}. ${why}`
    return { level: 'process', reason }
  }
  const programs = grants.commands.length > 0 ? [say`Programs that it starts are not limited.`] : []
  const limits = (network: Sentence): Sentence => inARow([FILES, network, ...programs, why])
  if (!findings.permission.network)
    return { level: 'guarded', reason: limits(say`The network is not limited: this Node cannot do that.`) }
  if (Array.isArray(grants.network) && grants.network.length > 0) {
    const network = say`The network is not limited to the granted hosts: Node knows only all or nothing.`
    return { level: 'guarded', reason: limits(network) }
  }
  const network = grants.network === 'any' ? say`The network is open to it, as granted.` : say`It has no network.`
  return { level: 'restricted', reason: limits(network) }
}

/** What works on this machine for a module that requests nothing, best first; in a sandbox everything works. */
export function possibleLevels(findings: Findings): FoundIsolation[] {
  const nothing: Capabilities = { network: 'none', folders: [], commands: [] }
  const launch = { args: [], env: {}, bundleFolder: '/', dataFolder: '/' }
  const forNode = chooseIsolation(findings, { ...launch, command: 'node' }, nothing)
  const { why } = findings.bwrap
  if (why === null || forNode.level === 'process') return [forNode]
  const reason = say`Programs other than Node are not kept apart and can reach whatever the service can reach. ${whyNotIsolated(findings, why)}`
  return [forNode, { level: 'process', reason }]
}

/** Whether the command refers to the Node that runs the service. */
export function isNode(command: string, node: string): boolean {
  return command === 'node' || command === node
}

function isolatedReason(network: Capabilities['network']): Sentence {
  if (network === 'any')
    return say`It has its own view of files and processes (bubblewrap). The network is open to it, as granted, this machine and its network included.`
  return network === 'none' || network.length === 0
    ? say`It has its own view of files and processes (bubblewrap) and no network.`
    : say`It has its own view of files and processes (bubblewrap), and the network only to ${network.join(', ')}.`
}

function whyNotIsolated({ root }: Findings, why: Sentence): Sentence {
  const apart = say`bubblewrap cannot keep it apart: ${why}.`
  return root ? inARow([apart, say`The service runs as root, and so does the module.`]) : apart
}
