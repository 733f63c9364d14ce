import { SSH_PORT } from '../../contract/host-values.ts'
import type { hosts as contract } from '../../contract/hosts.ts'
import type { Caller, Handlers } from '../../contract/route.ts'
import type { HostChecks } from './host-checks.ts'
import type { Hosts } from './hosts.ts'
import { readHelperFiles } from './reeve-op/shipped-files.ts'
import { setupScript } from './setup-script.ts'
import type { SshKeys } from './ssh-keys.ts'

export interface HostRoutesOptions {
  readonly hosts: Hosts
  readonly checks: HostChecks
  readonly keys: SshKeys
  /** Looks, in the background, at machines whose state is old. */
  readonly lookSoon: () => void
}

/** One handler for each route of machines. */
export function hostRoutes({ hosts, checks, keys, lookSoon }: HostRoutesOptions): Handlers<typeof contract> {
  const shown = async (caller: Caller, host_id: string) => ({
    ok: true as const,
    host: await hosts.read(caller, host_id),
  })
  const scriptFor = async ({ host_id, from = '' }: { host_id?: string | undefined; from?: string | undefined }) => {
    const [newest] = await keys.list()
    const place = host_id === undefined ? {} : await hosts.placeOf(host_id)
    return setupScript(await readHelperFiles(), {
      publicKey: newest!.public_key,
      from: from.split(/[\s,]+/).filter(Boolean),
      port: SSH_PORT,
      ...place,
    })
  }
  const listKeys = async () => ({ items: await keys.list() })
  return {
    listHosts: async ({ caller }) => {
      if (caller.admin) lookSoon()
      return { items: await hosts.list(caller) }
    },
    readHost: ({ caller, params }) => hosts.read(caller, params.host_id),
    addHost: async ({ caller, body }) => {
      const host = await hosts.add(caller, body)
      // The next step needs it, and reading it should change nothing.
      await keys.list()
      return { ok: true, host }
    },
    updateHost: async ({ caller, params, body }) => ({
      ok: true,
      host: await hosts.update(caller, params.host_id, body),
    }),
    removeHost: async ({ caller, params: { host_id } }) => {
      await hosts.remove(caller, host_id)
      return { ok: true, deleted: host_id }
    },
    pinHost: async ({ caller, params, body }) => ({ ok: true, host: await hosts.pin(caller, params.host_id, body) }),
    scanHost: async ({ caller, params: { host_id } }) => {
      await checks.scan(caller, host_id)
      return shown(caller, host_id)
    },
    checkHost: async ({ caller, params: { host_id } }) => {
      await checks.check(caller, host_id)
      return shown(caller, host_id)
    },
    setupScript: async ({ query }) => ({ script: await scriptFor(query) }),
    sshKeys: listKeys,
    changeSshKey: async ({ caller, body }) => {
      await keys.change(caller, body.change)
      await hosts.forgetAll()
      return listKeys()
    },
  }
}
