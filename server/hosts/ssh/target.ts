import type { BadState, MachineFacts } from '../../modules/machines.ts'

/** A machine as its row describes it. What is compared with the last time is all of it: another one is another connection. */
export interface HostTarget {
  readonly host_id: string
  /** As people call it; in messages. */
  readonly name: string
  /** A name or an IP address, without brackets. */
  readonly address: string
  readonly port: number
  readonly account: string
  /** The pinned host key: the bytes that `ssh-keyscan` prints in base64. Null as long as none is pinned. */
  readonly host_key: string | null
  /** The machine whose connection carries this one's; at most three in a row, none twice. */
  readonly jump?: HostTarget | undefined
}

/** What a check has found. */
export interface HostCheck {
  readonly state: 'ok' | BadState
  /** Why, as a sentence in English; empty when it is ok. */
  readonly message: string
  /** Milliseconds of one command there, the connection being open; null when there is none. */
  readonly latency_ms: number | null
  readonly facts: MachineFacts | null
  /** The key that it showed instead of the pinned one, in base64; null when it showed that one or none. */
  readonly offered_key: string | null
}

/** A host key that a machine has proved to own. */
export interface ScannedKey {
  /** `ssh-ed25519`, `ecdsa-sha2-nistp256`, `ssh-rsa` … */
  readonly type: string
  /** Base64 of its bytes: what to pin. */
  readonly key: string
  /** `SHA256:…`, as `ssh-keygen -l` prints it. */
  readonly fingerprint: string
}

/** Milliseconds, unless it says otherwise. Only tests have others than {@link LIMITS}. */
export interface SshLimits {
  /** From the first packet until signed in. */
  readonly connect: number
  /** From an open connection until the machine says its first word, which it does without being asked. */
  readonly greeting: number
  readonly keepalive: number
  /** Questions without an answer after which a connection counts as lost. */
  readonly keepalive_count: number
  /** Without a program running, after which a connection is closed. */
  readonly idle: number
  /** Programs at once on a machine; more wait. sshd allows ten: two are left for ending the others. */
  readonly channels: number
  /** Connections being made at once, over all machines, and through one machine. */
  readonly handshakes: number
  readonly handshakes_through: number
  /** Until the next attempt of those who may wait, after the first failure and at most. */
  readonly pause: number
  readonly longest_pause: number
  /** For an answer to a question that only reads. */
  readonly answer: number
  /** From telling a program to end until it has to, and from then until nobody waits for it any more. */
  readonly grace: number
  readonly give_up: number
}

export const LIMITS: SshLimits = {
  connect: 15_000,
  greeting: 10_000,
  keepalive: 10_000,
  keepalive_count: 3,
  idle: 600_000,
  channels: 8,
  handshakes: 16,
  handshakes_through: 4,
  pause: 1000,
  longest_pause: 300_000,
  answer: 30_000,
  grace: 2000,
  give_up: 5000,
}

/** Machines in a row before the one that is meant. */
const LONGEST_CHAIN = 3

/** What is wrong with the machines on the way, as a sentence; null when nothing is. */
export function chainProblem(target: HostTarget): string | null {
  const seen = [target.host_id]
  for (let each = target.jump; each !== undefined; each = each.jump) {
    if (seen.includes(each.host_id)) return `The way to ${target.name} leads through ${each.name} twice.`
    seen.push(each.host_id)
  }
  if (seen.length > LONGEST_CHAIN + 1)
    return `The way to ${target.name} leads through more than ${LONGEST_CHAIN} other machines.`
  return null
}
