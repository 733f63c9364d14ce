import { basename } from 'node:path'
import type { Capabilities, Isolation } from '../../../contract/modules.ts'
import type { Launch } from '../launch.ts'
import type { Findings } from './findings.ts'
import { canLimitNode } from './node-permission.ts'

const FILES =
  'Node limits which files it reaches and which programs it starts, which does not hold against a hostile module'
const NOTHING = 'not kept apart and can reach whatever the service can reach'

/** The best that can be done for this module here, and why not better. */
export function chooseIsolation(findings: Findings, launch: Launch, grants: Capabilities): Isolation {
  if (findings.bwrap.why === null) return { level: 'isolated', reason: isolatedReason(grants) }
  const why = whyNotIsolated(findings)
  if (!isNode(launch.command, findings.node)) {
    return { level: 'process', reason: `It is ${NOTHING}: ${basename(launch.command)} is not Node. ${why}` }
  }
  if (!findings.permission.files) {
    return { level: 'process', reason: `It is ${NOTHING}: this Node cannot limit it. ${why}` }
  }
  const obstacle = canLimitNode(launch, grants)
  if (obstacle !== null) return { level: 'process', reason: `It is ${NOTHING}: ${obstacle}. ${why}` }
  const programs = grants.commands.length > 0 ? ' Programs that it starts are not limited.' : ''
  if (!findings.permission.network) {
    return {
      level: 'guarded',
      reason: `${FILES}. The network is not limited: this Node cannot do that.${programs} ${why}`,
    }
  }
  if (Array.isArray(grants.network) && grants.network.length > 0) {
    const reason = `${FILES}. The network is not limited to the granted hosts: Node knows only all or nothing.${programs} ${why}`
    return { level: 'guarded', reason }
  }
  const network = grants.network === 'any' ? 'The network is open to it, as granted' : 'It has no network'
  return { level: 'restricted', reason: `${FILES}. ${network}.${programs} ${why}` }
}

/** What works on this machine for a module that asks for nothing, best first: in a sandbox everything does. */
export function possibleLevels(findings: Findings): Isolation[] {
  const nothing: Capabilities = { network: 'none', folders: [], commands: [] }
  const launch = { args: [], env: {}, bundleFolder: '/', dataFolder: '/' }
  const forNode = chooseIsolation(findings, { ...launch, command: 'node' }, nothing)
  if (forNode.level === 'isolated' || forNode.level === 'process') return [forNode]
  return [forNode, { level: 'process', reason: `Programs other than Node are ${NOTHING}. ${whyNotIsolated(findings)}` }]
}

/** Whether the command means the Node that runs the service. */
export function isNode(command: string, node: string): boolean {
  return command === 'node' || command === node
}

function isolatedReason(grants: Capabilities): string {
  const own = 'It has its own view of files and processes (bubblewrap)'
  if (grants.network === 'any')
    return `${own}. The network is open to it, as granted, this machine and its network included.`
  const hosts = grants.network === 'none' ? [] : grants.network
  return hosts.length === 0
    ? `${own} and no network.`
    : `${own}, and the network only to ${hosts.join(', ')}, by a proxy for HTTP.`
}

function whyNotIsolated(findings: Findings): string {
  const root = findings.root ? ' The service runs as root, and so does the module.' : ''
  return `bubblewrap cannot keep it apart: ${findings.bwrap.why}.${root}`
}
