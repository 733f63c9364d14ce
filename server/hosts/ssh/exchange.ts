import { randomBytes } from 'node:crypto'
import type { Client, ClientChannel } from 'ssh2'
import { asked, ENVIRONMENT } from './command-line.ts'
import { MarkedStream } from './marked-stream.ts'

/** Without anything arriving, after which the pipes of a program that has ended are held open by something it started. */
const DRAIN_MS = 500

export interface Script {
  /** For `/bin/sh`, after the environment was set. */
  readonly script: string
  /** What it reads, none unless given. */
  readonly input?: Uint8Array | undefined
  /** It does nothing before all of its input has come. Otherwise it may have done anything once it could begin. */
  readonly waits_for_input?: boolean
  readonly onOutput: (chunk: Buffer) => void
  readonly onErrors?: (chunk: Buffer) => void
  /** It has begun as the process with this number, which leads its group. */
  readonly onBegin?: (pid: number) => void
}

/** How it ended. Only an exit status that has arrived counts as an end: a missing one is no zero. */
export type ScriptEnd =
  | {
      readonly kind: 'exit'
      readonly code: number | null
      readonly signal: string | null
      /** Something else holds its output open. */
      readonly held: boolean
      /** False when the login shell ended without having started the script; `noise` is what it said. */
      readonly begun: boolean
      readonly noise: string
    }
  | {
      readonly kind: 'lost'
      /** Whether what it takes to do something may have reached the machine. Without that, nothing was done. */
      readonly handed: boolean
      readonly why: string
    }

export interface RunningScript {
  readonly ended: Promise<ScriptEnd>
  /** False when the machine has refused another channel, of which it allows so many; true when it has one, or was lost. */
  readonly admitted: Promise<boolean>
  /** Nobody waits any longer: it counts as lost. Ends nothing on the machine. */
  abandon(why: string): void
}

/** Runs a script on a connection, in a channel of its own. `closed` aborts when the connection is gone, with the reason. */
export function startScript(
  client: Client,
  closed: AbortSignal,
  { script, input, waits_for_input = false, ...on }: Script,
): RunningScript {
  const marker = randomBytes(16).toString('hex')
  const { promise, resolve } = Promise.withResolvers<ScriptEnd>()
  const { promise: admitted, resolve: admit } = Promise.withResolvers<boolean>()
  const whole = `${ENVIRONMENT}; printf '%s %s\\n' ${marker} "$$"; printf '%s %s\\n' ${marker} 0 >&2\n${script}`
  const { line, opening } = asked(whole, input !== undefined)
  let channel: ClientChannel | null = null
  let settled = false
  let handed = false
  let begun = false
  let exit: { code: number | null; signal: string | null } | null = null
  let drain: NodeJS.Timeout | null = null

  const settle = (end: ScriptEnd) => {
    if (settled) return
    settled = true
    if (drain !== null) clearTimeout(drain)
    closed.removeEventListener('abort', onClosed)
    channel?.close()
    admit(true)
    resolve(end)
  }
  const lose = (why: string) => settle({ kind: 'lost', handed, why })
  const onClosed = () => lose(String((closed.reason as Error).message))
  const finish = (held: boolean) => {
    if (exit === null) lose('how it ended was not reported')
    else settle({ kind: 'exit', ...exit, held, begun, noise: `${errors.noise} ${output.noise}`.trim() })
  }
  const drained = () => {
    if (drain !== null) clearTimeout(drain)
    drain = setTimeout(finish, DRAIN_MS, true)
  }
  const receive = (stream: MarkedStream, chunk: Buffer) => {
    if (settled) return
    if (exit !== null) drained()
    if (!stream.push(chunk)) lose('it sent something else than what was asked for')
  }
  const begin = (word: string) => {
    begun = true
    if (/^[1-9]\d{0,9}$/.test(word)) on.onBegin?.(Number(word))
    else lose('it sent something else than what was asked for')
  }
  const output = new MarkedStream(marker, begin, on.onOutput)
  const errors = new MarkedStream(marker, () => undefined, on.onErrors ?? (() => undefined))

  function use(opened: ClientChannel): void {
    channel = opened
    opened.on('data', (chunk: Buffer) => receive(output, chunk))
    opened.stderr.on('data', (chunk: Buffer) => receive(errors, chunk))
    opened.on('exit', (code: number | null, signal?: string) => {
      exit = { code, signal: code === null ? (signal ?? 'SIGTERM') : null }
      drained()
    })
    opened.on('close', () => finish(false))
    opened.on('error', (error: Error) => lose(error.message))
    handed = !waits_for_input
    if (input !== undefined) opened.write(opening)
    // Called when the last byte has been given to the connection: until then, nothing can have come of one that waits.
    opened.end(input ?? opening, () => (handed = true))
  }

  if (closed.aborted) onClosed()
  else {
    closed.addEventListener('abort', onClosed, { once: true })
    try {
      client.exec(line, (error, opened) => {
        if (error) {
          // By its number: the text is the machine's.
          admit(closed.aborted || (error as { reason?: unknown }).reason === undefined)
          return lose(error.message)
        }
        admit(true)
        if (!settled) return use(opened)
        opened.on('error', () => undefined)
        opened.close()
      })
    } catch (error) {
      // The connection is gone, which is told in a moment.
      drain = setTimeout(lose, DRAIN_MS, (error as Error).message)
    }
  }
  return { ended: promise, admitted, abandon: lose }
}
