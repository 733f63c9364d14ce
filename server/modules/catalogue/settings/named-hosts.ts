import type { Capabilities, SettingField, SettingValue } from '../../../../contract/modules.ts'
import { expandText, settingsIn } from '../../bundle/manifest/expand-text.ts'
import { grantedHost, PRIVATE } from '../../process/granted-host.ts'

/** Ports of what is reached without HTTP, where an address leaves them out. */
const PORTS: Readonly<Record<string, number>> = {
  amqp: 5672,
  amqps: 5671,
  bolt: 7687,
  'bolt+s': 7687,
  clickhouse: 9000,
  mariadb: 3306,
  mongodb: 27_017,
  mqtt: 1883,
  mqtts: 8883,
  mssql: 1433,
  mysql: 3306,
  nats: 4222,
  neo4j: 7687,
  'neo4j+s': 7687,
  postgres: 5432,
  postgresql: 5432,
  redis: 6379,
  rediss: 6379,
  sqlserver: 1433,
}
/** One setting is all of the host: nothing of it was written by whoever made the bundle. */
const WHOLE = /^\$\{user_config\.[^}]+\}(?::(?:\d{1,5}|\$\{user_config\.[^}]+\}))?$/
const NAME = /^(?:[a-z0-9_](?:[a-z0-9_.-]{0,252})|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/**
 * A granted network with the hosts that its settings name in place of `${user_config.KEY}`. Somebody entered such a host
 * for the module to reach it, so it may be on a private network, if it is all of the host; a default was entered by
 * nobody, so it must be public, and so must be what the bundle itself wrote around a setting.
 * A setting that has no value names none, and one that is not among `fields` stays as it is.
 */
export function networkWithHosts(
  network: Capabilities['network'],
  fields: readonly SettingField[],
  entered: Readonly<Record<string, SettingValue>>,
): Capabilities['network'] {
  if (typeof network === 'string') return network
  return network.flatMap((entry) => {
    const keys = settingsIn(entry)
    if (keys.length === 0) return [entry]
    const known = keys.map((key) => {
      const field = fields.find((each) => each.key === key)
      const value = Object.hasOwn(entered, key) ? entered[key] : field?.default
      return { key, value, field, byHand: value !== field?.default }
    })
    if (known.some(({ field }) => field === undefined)) return [entry]
    if (known.some(({ value }) => value === undefined || value === '')) return []
    const text = expandText(entry.replace(/^private:/i, ''), { bundleFolder: '', home: '' }, (key) =>
      [known.find((each) => each.key === key)?.value ?? ''].flat().join(','),
    )
    const anywhere = WHOLE.test(entry.replace(/^private:/i, '')) && known[0]!.byHand
    return hostsIn(text).map((host) => (anywhere ? `${PRIVATE}${host}` : host))
  })
}

/** The hosts, each with its port if it has one, that an address, a connection string or a plain list of hosts names. */
export function hostsIn(text: string): string[] {
  const address = /^\s*([a-z][a-z0-9+.-]*):\/\/(?:[^/?#]*@)?([^/?#\s]+)/i.exec(text)
  if (address !== null) {
    const scheme = address[1]!.toLowerCase().replace(/^jdbc:/, '')
    const port = PORTS[scheme]
    return named(address[2]!.split(',')).map((host) =>
      port === undefined || grantedHost(host).port !== null ? host : `${host}:${port}`,
    )
  }
  const pairs = new Map(
    [...text.matchAll(/(?:^|[\s;])(\w+)\s*=\s*([^\s;]+)/g)].map(([, key, value]) => [key!.toLowerCase(), value!]),
  )
  if (pairs.size > 0) {
    const host = ['host', 'hostname', 'hostaddr', 'server', 'addr'].flatMap((key) => pairs.get(key) ?? [])[0]
    const port = pairs.get('port')
    return host === undefined ? [] : named([port === undefined ? host : `${host}:${port}`])
  }
  return named(text.split(/[\s,;]+/).map((part) => part.replace(/\/.*$/, '')))
}

function named(hosts: readonly string[]): string[] {
  return hosts.filter((host) => NAME.test(host))
}
