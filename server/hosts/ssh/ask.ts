import { MachineUnreachable } from '../../modules/machines.ts'
import type { HelperDoor } from '../reeve-op/door.ts'
import type { ScriptEnd } from './exchange.ts'
import type { Session } from './session.ts'
import { plain } from './sign-in.ts'
import type { SshLimits } from './target.ts'
import { unlessAborted } from './turns.ts'
import type { Urgency, Way } from './way.ts'

/** A machine, for those who ask it something. */
export interface There {
  readonly connection: Way
  /** That of the account reeve-op. */
  readonly door: HelperDoor
  readonly urgency: Urgency
  readonly limits: SshLimits
}

export interface Question {
  /** For `/bin/sh`; it only reads, so it may be asked again. Whatever it prints is the answer. */
  readonly script: string
  /** Bytes of the longest answer there can be: of more, the machine is not what it should be. */
  readonly most: number
  /** Milliseconds after which what has arrived is the answer. */
  readonly enough_ms?: number
  /** Called when the script begins. */
  readonly onBegin?: () => void
}

/** Of what a shell says when a script cannot be done. */
const MOST_ERRORS = 4000

/**
 * Asks a machine, and once more if the connection was lost in between. Rejects with MachineUnreachable, or when `signal`
 * aborts.
 */
export async function ask(there: There, question: Question, signal: AbortSignal): Promise<Buffer> {
  for (let again = true; ; again = false) {
    const session = await there.connection.session(there.urgency, signal)
    const answer = await askOnce(there, session, question, signal)
    if (Buffer.isBuffer(answer)) return answer
    if (!again || !session.closed.aborted) throw answer
  }
}

/** The answer, or why there is none. */
async function askOnce(
  { connection, limits }: There,
  session: Session,
  { script, most, enough_ms, onBegin }: Question,
  signal: AbortSignal,
): Promise<Buffer | MachineUnreachable> {
  const { name, account } = connection.target
  const parts: Buffer[] = []
  const errors: Buffer[] = []
  let size = 0
  let pid = 0
  const over = new AbortController()
  const giveUp = (why: string) => over.abort(new MachineUnreachable('unreachable', `${name} ${why}.`))
  const onAbort = () => giveUp('is not asked any more')
  const timer = setTimeout(() => giveUp(`did not answer within ${limits.answer / 1000} s`), enough_ms ?? limits.answer)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  let end: ScriptEnd
  try {
    const running = await session.start(
      {
        script,
        onOutput(chunk) {
          parts.push(chunk)
          size += chunk.length
          if (size > most) giveUp('sent far more than it was asked for')
        },
        onErrors: (chunk) => errors.length < MOST_ERRORS && errors.push(chunk.subarray(0, MOST_ERRORS)),
        onBegin(began) {
          pid = began
          onBegin?.()
        },
      },
      over.signal,
    )
    end = await unlessAborted(running.ended, over.signal).catch((error: unknown) => {
      running.abandon('nobody waits for it any more')
      // Also told to end: it may hang on a dead disk, and another one would come to it each minute.
      if (pid > 0) void session.end(pid, 0)
      throw error
    })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof MachineUnreachable)
      return enough_ms !== undefined && size <= most && !session.closed.aborted ? Buffer.concat(parts) : error
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
  if (end.kind === 'lost')
    return session.closed.aborted
      ? (session.closed.reason as MachineUnreachable)
      : new MachineUnreachable('unreachable', `${name} gave no answer: ${end.why}.`)
  if (!end.begun) return new MachineUnreachable('sign_in_refused', cannotRun(name, account, end.noise))
  if (end.code === 0) return Buffer.concat(parts)
  const said = plain(Buffer.concat(errors).toString()) || `exit code ${end.code ?? end.signal}`
  return new MachineUnreachable('unreachable', `${name} could not do what it was asked: ${said}.`)
}

/** The login shell starts no programs, as that of a locked account. */
export function cannotRun(name: string, account: string, noise: string): string {
  return `${account} can sign in to ${name} but run nothing there${noise === '' ? '' : `: ${plain(noise)}`}.`
}
