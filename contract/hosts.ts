import { z } from 'zod'
import { EVERY_HOST, HOST_ACCOUNT, HOST_LIMITS, HOST_PATTERNS, SSH_PORT } from './host-values.ts'
import { json, route } from './route.ts'
import { Id, Ok, Timestamp } from './values.ts'

const { name, tag, address, account } = HOST_PATTERNS
const HostName = z.string().trim().regex(name, 'letters, digits, “.”, “_” and “-”, at most 63')
const HostTag = z
  .string()
  .trim()
  .toLowerCase()
  .regex(tag, 'letters, digits, “.”, “_” and “-”, at most 32')
  .refine((word) => word !== EVERY_HOST, { message: '“all” stands for all machines' })
const HostAddress = z
  .string()
  .trim()
  .regex(address, 'a host name or an IP address, without port')
  .refine((text) => !text.includes(':') || z.ipv6().safeParse(text).success, { message: 'not an IPv6 address' })
const HostAccount = z.string().trim().regex(account, 'the name of an account')

/**
 * `ok`: signed in. `unreachable`: nothing answers as SSH should. `key_unknown`: no host key is pinned, so nothing signs
 * in. `key_changed`: it shows another host key than the pinned one, so nothing signs in. `sign_in_refused`: it is the
 * right machine, and does not let Reeve in.
 */
export const HostState = z.enum(['ok', 'unreachable', 'key_unknown', 'key_changed', 'sign_in_refused'])
export type HostState = z.infer<typeof HostState>

/** The public key by which a machine is known. */
const HostKey = z.strictObject({
  /** `ssh-ed25519`, `ecdsa-sha2-nistp256`, `rsa-sha2-512` … */
  algorithm: z.string(),
  /** As ssh-keygen shows it: `SHA256:` and 43 characters of base64. */
  fingerprint: z.string(),
})
export type HostKey = z.infer<typeof HostKey>

/** What a machine is, as it told when somebody last signed in. */
export const HostFacts = z.strictObject({
  /** Its system with the version, as it calls itself: `Debian GNU/Linux 12 (bookworm)`. */
  system: z.string(),
  /** `Linux 6.1.0-18-amd64 x86_64`. */
  kernel: z.string(),
  host_name: z.string(),
  cores: z.int().nullable(),
  init: z.enum(['systemd', 'openrc', 'launchd', 'other']),
  package_manager: z.enum(['apt', 'dnf5', 'dnf', 'zypper', 'pacman', 'apk', 'pkg']).nullable(),
  elevation: z.enum(['sudo', 'doas']).nullable(),
  busybox: z.boolean(),
  /** What its clock is ahead of this service's, in milliseconds. */
  clock_offset_ms: z.int(),
  time_zone: z.string().nullable(),
  account: z.string(),
})
export type HostFacts = z.infer<typeof HostFacts>

/**
 * reeve-op, Reeve's program for what only root may do, when it was last asked. `ok`: it answers as root and is the one that
 * this version ships. `different`: as root, but another version. `missing`: nothing answers as reeve-op does; an operation
 * would end with `helper_missing`. `refused`: it is there and refuses, such as for a list that others may write.
 */
export const HostHelper = z.strictObject({
  state: z.enum(['ok', 'different', 'missing', 'refused']),
  /** What the machine said about it. */
  problem: z.string().nullable(),
  /** What its list allows, a line each, without `allow`: `service nginx.service`. */
  allows: z.array(z.string()),
  /** Null: nobody has noticed it yet, on the machine that Reeve runs on. */
  checked_at: Timestamp.nullable(),
})
export type HostHelper = z.infer<typeof HostHelper>

export const Host = z.strictObject({
  host_id: Id,
  name: z.string(),
  /** Null for the local one, like everything about the way to it. */
  address: z.string().nullable(),
  port: z.int().nullable(),
  account: z.string().nullable(),
  /** The machine through which it is reached. */
  jump_host_id: Id.nullable(),
  tags: z.array(z.string()),
  disabled: z.boolean(),
  /** The host key that it must show. */
  pinned: HostKey.extend({ at: Timestamp, by: z.string() }).nullable(),
  /** Null: nobody has looked since its key was pinned. */
  state: HostState.nullable(),
  /** What went wrong, in the words of whoever noticed. */
  problem: z.string().nullable(),
  /** With `key_changed`, and with `key_unknown` once somebody has looked: the host key that it shows. */
  offered: HostKey.nullable(),
  /** Milliseconds of the shortest question and its answer, over a connection that is open. */
  latency_ms: z.int().nullable(),
  facts: HostFacts.nullable(),
  /** Null: not asked yet. */
  helper: HostHelper.nullable().optional(),
  checked_at: Timestamp.nullable(),
  created_at: Timestamp.nullable(),
})
export type Host = z.infer<typeof Host>

const HostParams = z.object({ host_id: Id })
const way = {
  name: HostName,
  address: HostAddress,
  port: z.int().min(1).max(65_535),
  account: HostAccount,
  jump_host_id: Id.nullable(),
  tags: z.array(HostTag).max(HOST_LIMITS.tags),
}
const saved = json(z.strictObject({ ok: Ok, host: Host }))

/** A key with which Reeve signs in to machines. */
export const SshKey = z.strictObject({
  key_id: Id,
  /** The line for `authorized_keys`. */
  public_key: z.string(),
  fingerprint: z.string(),
  created_at: Timestamp,
  /** The one that stays when a change of key ends. */
  newest: z.boolean(),
})
export type SshKey = z.infer<typeof SshKey>
const sshKeys = json(
  z.strictObject({
    /** The newest first; two while the key is being changed. */
    items: z.array(SshKey),
  }),
)

/** Machines: the one that Reeve runs on, and those it reaches over SSH. */
export const hosts = {
  listHosts: route({
    method: 'GET',
    path: '/api/hosts',
    summary: 'The machines that I may use, the local one first, then by name',
    access: 'session',
    response: json(z.strictObject({ items: z.array(Host) })),
    errors: [],
    revised: true,
  }),
  readHost: route({
    method: 'GET',
    path: '/api/hosts/{host_id}',
    summary: 'One machine that I may use',
    access: 'session',
    params: HostParams,
    response: json(Host),
    errors: ['not_found'],
    revised: true,
  }),
  addHost: route({
    method: 'POST',
    path: '/api/admin/hosts',
    summary: 'Add a machine. Nothing connects to it before its host key is pinned, but for a scan',
    access: 'admin',
    sessionOnly: true,
    body: json(
      z.strictObject({
        ...way,
        port: way.port.default(SSH_PORT),
        account: way.account.default(HOST_ACCOUNT),
        jump_host_id: way.jump_host_id.default(null),
        tags: way.tags.default([]),
      }),
    ),
    response: saved,
    errors: ['host_exists', 'too_many_hosts', 'host_jump'],
  }),
  updateHost: route({
    method: 'PATCH',
    path: '/api/admin/hosts/{host_id}',
    summary: 'Change a machine; of the local one only its tags. The pinned host key stays',
    access: 'admin',
    sessionOnly: true,
    params: HostParams,
    body: json(z.strictObject({ ...way, disabled: z.boolean() }).partial()),
    response: saved,
    errors: ['not_found', 'host_exists', 'host_jump', 'host_is_local'],
  }),
  removeHost: route({
    method: 'DELETE',
    path: '/api/admin/hosts/{host_id}',
    summary: 'Remove a machine with its pinned key. Nothing is changed on the machine itself',
    access: 'admin',
    sessionOnly: true,
    params: HostParams,
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found', 'host_is_local', 'host_in_use'],
  }),
  pinHost: route({
    method: 'POST',
    path: '/api/admin/hosts/{host_id}/pin',
    summary:
      'Pin the host key of a machine: what the setup script printed there, or the fingerprint of the key that the last scan or check found, compared there',
    access: 'admin',
    sessionOnly: true,
    params: HostParams,
    body: json(
      z
        .strictObject({
          /** With `ssh-ed25519 AAAA…` in it, among other words or lines; of several keys the best kind counts. */
          host_key: z.string().trim().max(2000).optional(),
          fingerprint: z.string().trim().max(100).optional(),
        })
        .refine((body) => (body.host_key === undefined) !== (body.fingerprint === undefined), {
          message: 'give either host_key or fingerprint',
        }),
    ),
    response: saved,
    errors: ['not_found', 'host_is_local', 'bad_host_key', 'host_key_unknown'],
  }),
  scanHost: route({
    method: 'POST',
    path: '/api/admin/hosts/{host_id}/scan',
    summary: 'Ask a machine for its host key, without signing in and without believing it',
    access: 'admin',
    sessionOnly: true,
    params: HostParams,
    response: saved,
    errors: ['not_found', 'host_is_local', 'host_disabled'],
  }),
  checkHost: route({
    method: 'POST',
    path: '/api/admin/hosts/{host_id}/check',
    summary: 'Sign in to a machine and see what it is; what went wrong is its state',
    access: 'admin',
    sessionOnly: true,
    params: HostParams,
    response: saved,
    errors: ['not_found', 'host_is_local', 'host_disabled'],
  }),
  setupScript: route({
    method: 'GET',
    path: '/api/admin/hosts/setup-script',
    summary: 'The script that prepares a machine: to be read, and run there as root. It has the newest public key',
    access: 'admin',
    query: z.object({
      /** For this machine: with its account, where the script can make that. */
      host_id: Id.optional(),
      /** Where the key counts from: addresses and networks, separated by commas. Everywhere unless given. */
      from: z.string().trim().max(500).regex(HOST_PATTERNS.from).optional(),
    }),
    response: json(z.strictObject({ script: z.string() })),
    errors: ['not_found', 'host_is_local'],
  }),
  sshKeys: route({
    method: 'GET',
    path: '/api/admin/ssh-key',
    summary: 'The public key with which this installation signs in to machines; two while it is being changed',
    access: 'admin',
    response: sshKeys,
    errors: [],
  }),
  changeSshKey: route({
    method: 'POST',
    path: '/api/admin/ssh-key',
    summary: 'Begin to change the key: there are two, and both open doors. End it: the older one is erased',
    access: 'admin',
    sessionOnly: true,
    body: json(z.strictObject({ change: z.enum(['begin', 'end']) })),
    response: sshKeys,
    errors: ['ssh_key_changing', 'ssh_key_not_changing'],
  }),
}
