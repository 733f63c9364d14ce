import { type GuardedFetch, openGuardedFetch } from '../../kernel/network/guarded-fetch.ts'

/**
 * Reaches a registry that an administrator named, which may be in a private network. An answer that leads to another
 * service of this machine or network is no part of it.
 */
export function openRegistryFetch(base: URL, maxBytes: number): GuardedFetch {
  const port = base.port === '' ? (base.protocol === 'https:' ? '443' : '80') : base.port
  const host = base.hostname.replace(/^\[|\]$/g, '')
  return openGuardedFetch({ allowPrivate: (to, _address, at) => to === host && at === port, maxBytes })
}
