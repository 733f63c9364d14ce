import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Server } from 'lucide-react'
import { placeOf } from '../../hosts/find-hosts.ts'
import { hostsQuery } from '../../hosts/hosts-query.ts'
import type { PaletteEntry } from './palette-entry.ts'

/** The pages of the machines, for whoever may open them. */
export function useHostEntries(enabled: boolean): readonly PaletteEntry[] {
  const navigate = useNavigate()
  const hosts = useQuery({ ...hostsQuery, enabled }).data?.items ?? []
  return (enabled ? hosts : []).map((host) => ({
    id: `host:${host.host_id}`,
    group: 'pages',
    title: host.name,
    icon: Server,
    detail: [placeOf(host), ...host.tags.map((tag) => `#${tag}`)].filter((word) => word !== '').join(' · '),
    keywords: [placeOf(host), ...host.tags.map((tag) => `#${tag}`), host.facts?.system ?? ''].join(' '),
    run: () => void navigate({ to: '/admin/$page', params: { page: 'hosts' }, search: { host: host.host_id } }),
  }))
}
