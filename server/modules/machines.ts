import type { OperateOptions, Operation, OperationOutcome, PlannedAction } from './machine-operation.ts'

/** The machine that Reeve itself runs on; the only one there is without a row. */
export const LOCAL_MACHINE = 'local'

/**
 * The port through which built-in modules reach machines. `hosts` implements it, `app` fills it. Whether a caller may use
 * a machine was judged before: a tool knows one machine, by the id in its call's `_meta`, and never where that machine is.
 */
export interface Machines {
  /**
   * The machine with this id, whether it can be reached now or not; null when there is none, or it is switched off.
   * Connects to nothing: only what is asked of the machine does.
   */
  get(host_id: string): Promise<Machine | null>
}

/**
 * One machine with sshd and `/bin/sh`, or this one. Nothing is installed on it, and everything is done as the account that
 * Reeve has there. Paths are absolute and without NUL; text in other encodings than UTF-8 comes with what does not fit
 * replaced.
 *
 * Every method but `run`, `write` and `operate` only reads: it may be repeated, is one round trip (or a number of them that does not
 * grow with what is read), and rejects with {@link MachineUnreachable} when there is no connection or it is lost. When
 * `signal` aborts, it rejects with an AbortError.
 */
export interface Machine {
  readonly id: string
  /** As people call it; `local` for this one. */
  readonly name: string

  /** What the machine is. Kept for as long as a connection, so it costs nothing after the first time. */
  facts(signal: AbortSignal): Promise<MachineFacts>

  /**
   * The beginning of each file, or with `tail` its end, at most `max` bytes of each (at most 4096 paths). Files of /proc
   * and /sys, whose size is 0, are read until they end. Nothing waits for the writer of a FIFO. The answer has every path.
   */
  readFiles(paths: readonly string[], options: ReadOptions, signal: AbortSignal): Promise<ReadonlyMap<string, FileRead>>

  /**
   * The same few files of every directory in `parent`, such as `stat` and `cmdline` of all processes, or `size` of all
   * block devices. It is a question of its own, because it is asked of hundreds of directories that come and go: with
   * `listDir` and `readFiles` a machine far away would have to be told a thousand paths, of which some are gone by then,
   * while one program there reads them all at once, without a process for each.
   *
   * Links in `parent` that lead to directories count as such. What is missing or may not be read is left out. Empty when
   * there is no `parent`.
   */
  readEach(parent: string, wanted: EachWanted, signal: AbortSignal): Promise<readonly Each[]>

  /**
   * The entries of a directory without `.` and `..`, in no order, the first `max` of them. With `deep` those of all
   * directories below too, as paths relative to it; links are never followed.
   */
  listDir(path: string, options: { max: number; deep?: boolean }, signal: AbortSignal): Promise<Entry[] | ReadProblem>

  /**
   * How full the file systems are that these directories are on: statfs, which no file tells. One that does not answer
   * within `deadline_ms` (a dead network mount never does) is left out, like one that is gone; the others don't wait for it.
   */
  space(paths: readonly string[], deadline_ms: number, signal: AbortSignal): Promise<ReadonlyMap<string, Space>>

  /** Addresses by network interface, as `192.0.2.7/24`: no file tells them either. Interfaces without one may be missing. */
  addresses(signal: AbortSignal): Promise<ReadonlyMap<string, readonly string[]>>

  /**
   * Runs a program in a process group of its own, without a terminal; no shell sees its arguments. Resolves when it has
   * ended, or certainly never began, or nobody can tell any more: it never rejects and is never repeated. When `signal`
   * aborts or the deadline passes, the whole group gets SIGTERM, and soon SIGKILL.
   */
  run(command: Command, signal: AbortSignal): Promise<Outcome>

  /**
   * Gives a file these bytes, whole or not at all: written beside it, flushed, and renamed. `if_hash` is the SHA-256 (in
   * hexadecimal) of what must be there, null where there must be nothing. `mode` such as 0o644; without it the old file's,
   * or 0o600. Owner and group of the old file are kept, or it is `denied`; access lists and labels are not. A link at the end
   * of the path is not followed. Never rejects.
   */
  write(path: string, bytes: Uint8Array, options: WriteOptions, signal: AbortSignal): Promise<WriteOutcome>

  /**
   * Has something done as root, by the machine's reeve-op, and waits for its end. It is asked for once; a connection that
   * breaks after that is replaced by asking how it stands. When `signal` aborts, the waiting ends, not the operation.
   * Never rejects.
   */
  operate(operation: Operation, options: OperateOptions, signal: AbortSignal): Promise<OperationOutcome>

  /**
   * What the package manager would do, where only root may ask it: a question to the machine's reeve-op, without an effect
   * or a record. When it has `ended` with 0, `text` are lines for `planHash`. Never rejects.
   */
  plan(
    wanted: { readonly action: PlannedAction; readonly names: readonly string[] },
    signal: AbortSignal,
  ): Promise<OperationOutcome>

  /** How an operation ended that was asked for earlier. If it has not arrived by now, it never runs. Never rejects. */
  operationStatus(options: OperateOptions, signal: AbortSignal): Promise<OperationOutcome>
}

/** No answer from a machine. The message is a sentence for the person, in English. */
export class MachineUnreachable extends Error {
  readonly state: BadState
  constructor(state: BadState, message: string) {
    super(message)
    this.name = 'MachineUnreachable'
    this.state = state
  }
}
/** Why nobody could sign in; told as the state of a machine, and as a sentence in calls. */
export type BadState = 'unreachable' | 'key_unknown' | 'key_changed' | 'sign_in_refused'

export interface MachineFacts {
  /** As `uname -s` says: `Linux`, `Darwin`, `FreeBSD`. */
  readonly system: string
  /** As `uname -r` and `uname -m` say. */
  readonly release: string
  readonly architecture: string
  readonly host_name: string
  /** Of os-release, by key without quotes: ID, VERSION_ID, ID_LIKE, PRETTY_NAME …; empty where there is no such file. */
  readonly os_release: Readonly<Record<string, string>>
  /** Processors that a program may use; null when nothing says. */
  readonly cores: number | null
  /** What manages services: systemd only where it is process 1, not where it is merely installed. */
  readonly init: 'systemd' | 'openrc' | 'launchd' | 'other'
  readonly package_manager: 'apt' | 'dnf5' | 'dnf' | 'zypper' | 'pacman' | 'apk' | 'pkg' | null
  /** Installed, which does not mean that the account may use it. */
  readonly elevation: 'sudo' | 'doas' | null
  /** Its basic programs (ls, df, ps) are those of BusyBox, with fewer options. */
  readonly busybox: boolean
  /** Differs after every boot; null where the system does not tell (only Linux does). */
  readonly boot_id: string | null
  readonly clock: {
    /** What to add to this process's clock to get the machine's, in milliseconds; precise to half a round trip. */
    readonly offset_ms: number
    /** IANA name; null when the machine has another way to say it. */
    readonly time_zone: string | null
  }
  /** The account that everything is done as; its name is the number where it has none. */
  readonly account: { readonly uid: number; readonly name: string }
  /** Numbers of Reeve's own process and of the one that runs it, on the machine where that is; null elsewhere. */
  readonly reeve: { readonly pid: number; readonly parent: number } | null
}

export interface ReadOptions {
  /** Bytes of each file. */
  readonly max: number
  /** The end instead of the beginning. */
  readonly tail?: boolean
  /**
   * Only what really is below this directory: its own links are resolved, and from there on no part of a path may be a
   * link. Paths are relative to it then, and so are the keys of the answer. `outside` and `link` are the answers otherwise.
   */
  readonly within?: string
}

/** What was read of a file. */
export type FileRead = { readonly bytes: Buffer; /** The file has more. */ readonly cut: boolean } | ReadProblem

/**
 * `missing`: no such file; `denied`: the account may not read it; `not_file`: there is something else, such as a directory;
 * `not_directory`; `outside` and `link` only with `within`; `failed`: anything else.
 */
export type ReadProblem = 'missing' | 'denied' | 'not_file' | 'not_directory' | 'outside' | 'link' | 'failed'

export interface EachWanted {
  /** Only directories whose name is a decimal number, like those of processes. */
  readonly numbers?: boolean
  /** Paths relative to each directory, such as `stat` or `device/model`. */
  readonly files: readonly string[]
  /** A directory of links, relative to each, such as `fd`: where they lead, without following them, the first 4096. */
  readonly links?: string
  /** Characters of each file; what is longer is cut. */
  readonly max: number
}

export interface Each {
  /** Name of the directory. */
  readonly name: string
  /** Text by the names asked for. NUL is kept. */
  readonly files: Readonly<Record<string, string>>
  readonly links: readonly string[]
}

export interface Entry {
  readonly name: string
  readonly kind: 'file' | 'directory' | 'link' | 'other'
}

export interface Space {
  /** Bytes. `available` is what an ordinary user can still write; `used` counts root's reserve as free. */
  readonly size: number
  readonly used: number
  readonly available: number
  /** 0 where the file system does not count them. */
  readonly inodes: number
  readonly inodes_used: number
}

export interface Command {
  /** A name to be found in PATH, or a path, and its arguments. */
  readonly argv: readonly [string, ...string[]]
  /** Its standard input, which is empty otherwise. */
  readonly stdin?: string | Uint8Array | undefined
  /** The service's or account's own directory unless given. */
  readonly cwd?: string | undefined
  /** Milliseconds. */
  readonly deadline_ms: number
  /** Of each stream: of more, the beginning and the end are kept, with a line between them that says so. */
  readonly max_bytes: number
  /** Standard output as it arrives; the pieces need not end with lines. */
  readonly onOutput?: ((text: string) => void) | undefined
  /** The call that runs it, for what can have effects: noted, so that it ends with the service even if that is killed. */
  readonly tool_call_id?: string | undefined
}

export type Outcome = CommandEnd | CommandRefusal | CommandLoss

/** It ran and has ended. */
export interface CommandEnd {
  readonly kind: 'ended'
  /** Null when a signal ended it. */
  readonly exit_code: number | null
  /** Such as `SIGKILL`. */
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  /** Bytes left out in the middle of each stream. */
  readonly cut: { readonly stdout: number; readonly stderr: number }
  readonly duration_ms: number
  /** Set when it was told to end, with all it had started. */
  readonly stopped: 'deadline' | 'cancelled' | null
  /** It ended, but something that it started is still running. */
  readonly background: boolean
}

/** The machine did not start it: there is nothing to undo. */
export interface CommandRefusal {
  readonly kind: 'refused'
  /** `too_long`: the arguments; `other`: `detail` is all that is known. */
  readonly why: 'no_program' | 'no_directory' | 'denied' | 'too_long' | 'other'
  /** What the system said about it, in its own words. */
  readonly detail: string
}

/**
 * The connection did not come about, or broke. `not_started`: it certainly never ran; `unknown`: it may have run, be
 * running, or have ended, and is not repeated. `message` is a sentence for the person, in English.
 */
export interface CommandLoss {
  readonly kind: 'lost'
  readonly lost: 'not_started' | 'unknown'
  readonly message: string
}

export interface WriteOptions {
  readonly if_hash: string | null
  readonly mode?: number | undefined
}

export type WriteOutcome =
  /** The bytes are there; `hash` is their SHA-256. */
  | { readonly kind: 'written'; readonly hash: string }
  /** It was not as `if_hash` says, and is left alone; null: there is nothing. */
  | { readonly kind: 'changed'; readonly hash: string | null }
  /** Nothing has changed. `detail` is what the system said. */
  | {
      readonly kind: 'failed'
      readonly why: 'denied' | 'missing' | 'link' | 'not_file' | 'full' | 'other'
      readonly detail: string
    }
  | CommandLoss
