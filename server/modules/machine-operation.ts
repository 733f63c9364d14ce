/**
 * What can be done on a machine as root, by reeve-op: one of these, and only what the machine's own list allows. Names,
 * paths and units have ordinary characters only; anything else is refused before it leaves here.
 */
export type Operation =
  | ServiceOperation
  | PackageOperation
  | FileOperation
  | UserOperation
  | {
      readonly op: 'journal'
      /** What stays: bytes of archived journals, or days of entries. */
      readonly keep: { readonly bytes: number } | { readonly days: number }
    }
  | { readonly op: 'power'; readonly action: 'reboot' | 'off'; readonly minutes: number }
  | { readonly op: 'power'; readonly action: 'cancel' }
  /** A script for /bin/sh as root, with an end after that many seconds. */
  | { readonly op: 'command'; readonly script: string; readonly deadline_s: number }

export interface ServiceOperation {
  readonly op: 'service'
  readonly action: 'start' | 'stop' | 'restart' | 'reload' | 'enable' | 'disable'
  /** As the list has it, such as `nginx.service`. */
  readonly unit: string
}

export type PackageOperation =
  | {
      readonly op: 'package'
      readonly action: PlannedAction
      /** 1 to 50 names, also as `name=version`; none, with `upgrade`, are all there are. */
      readonly names: readonly string[]
      /** `planHash` of what the package manager said it would do. If it now says something else, nothing is done. */
      readonly plan: string
    }
  | { readonly op: 'package'; readonly action: 'hold' | 'unhold'; readonly names: readonly string[] }
  /** Asks for the lists of packages again; finishes what was interrupted. */
  | { readonly op: 'package'; readonly action: 'refresh' | 'repair' }
export type PlannedAction = 'install' | 'upgrade' | 'remove'

/** `if_hash` is the SHA-256 (in hexadecimal) of what must be there; null where there must be nothing. */
export type FileOperation =
  | { readonly op: 'file'; readonly action: 'write'; readonly path: string; if_hash: string; content: Uint8Array }
  | {
      readonly op: 'file'
      readonly action: 'create'
      readonly path: string
      readonly content: Uint8Array
      /** Three octal digits, such as `644`, which is the default. */
      readonly mode?: string
      /** `user:group`; root's otherwise. */
      readonly owner?: string
    }
  | { readonly op: 'file'; readonly action: 'delete'; readonly path: string; readonly if_hash: string }
  | { readonly op: 'file'; readonly action: 'mode'; readonly path: string; if_hash: string; mode: string }
  | { readonly op: 'file'; readonly action: 'owner'; readonly path: string; if_hash: string; owner: string }
  /** Puts back what the operation with the id `backup` found there. Kept for 30 days. */
  | {
      readonly op: 'file'
      readonly action: 'restore'
      readonly path: string
      readonly if_hash: string | null
      readonly backup: string
    }

/** Accounts of persons only: from number 1000 on, and in no group that amounts to root. */
export type UserOperation =
  | { readonly op: 'user'; readonly action: 'create'; readonly name: string; readonly groups: readonly string[] }
  | { readonly op: 'user'; readonly action: 'lock' | 'unlock'; readonly name: string }
  /** Puts the account into these groups, or takes it out of them. */
  | { readonly op: 'user'; readonly action: 'groups' | 'ungroup'; readonly name: string; groups: readonly string[] }
  /** Adds a public key to those that may sign in, or removes it: one line without options. */
  | { readonly op: 'user'; readonly action: 'key' | 'unkey'; readonly name: string; readonly key: string }
  | { readonly op: 'user'; readonly action: 'delete'; readonly name: string; readonly remove_home: boolean }

/** `text` is what programs of the machine wrote: hostile, at most 64 KiB. */
export type OperationOutcome =
  /** It ran to its end. 0 is success; with anything else, `text` says why. */
  | { readonly kind: 'ended'; readonly exit_code: number; readonly text: string }
  /** Nothing was done, and `text` says why: a sentence of reeve-op's. */
  | { readonly kind: 'refused'; readonly why: RefusalReason; readonly text: string }
  /** It began, and its process was ended, perhaps with the machine. Nobody knows how far it came. */
  | { readonly kind: 'interrupted'; readonly text: string }
  /** Nothing was done: another operation is running there. */
  | { readonly kind: 'busy' }
  /** It still runs, longer than was waited. Its id tells later how it ended. */
  | { readonly kind: 'running'; readonly text: string }
  /** Error code `helper_missing`: there is no reeve-op, or the account may not ask it. `text` is the machine's. */
  | { readonly kind: 'missing'; readonly text: string }
  /** `not_started`: it certainly never ran. `unknown`: the machine is silent; its id tells as soon as it answers again. */
  | { readonly kind: 'lost'; readonly lost: 'not_started' | 'unknown'; readonly message: string }

/**
 * `not_allowed`: no line of the list; `protected`: what no list can allow; `hash`, `plan`: not as it was approved;
 * `path`: a link, hard links, a folder that others can write; `backup`, `missing`: there is none; `other`: see the text.
 */
export type RefusalReason =
  | 'syntax'
  | 'unknown_op'
  | 'not_allowed'
  | 'protected'
  | 'path'
  | 'hash'
  | 'plan'
  | 'backup'
  | 'missing'
  | 'other'

export interface OperateOptions {
  /** 32 hexadecimal digits, new for each operation and stored before it is asked for: asking again never repeats it. */
  readonly op_id: string
  /** Milliseconds to wait for its end. */
  readonly deadline_ms: number
}
