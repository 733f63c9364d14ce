import { MachineUnreachable, type CommandLoss } from '../../modules/machines.ts'
import type { There } from './ask.ts'
import type { Script, ScriptEnd } from './exchange.ts'
import type { Session } from './session.ts'

type Exit = Extract<ScriptEnd, { kind: 'exit' }>

/** What goes on while a script runs that may change something. */
export interface Watched extends Script {
  /** It has begun; from now on it can be ended. */
  readonly onSession?: (session: Session) => void
}

/**
 * Runs a script that may change something: another time only if the connection was lost and nothing can have come of it.
 * When `signal` aborts or the time is over, it is told to end, with all that it has started; of one that stays silent
 * nobody knows how it ended. Never rejects.
 */
export async function attempt(
  there: There,
  signal: AbortSignal,
  deadline_ms: number,
  script: () => Script,
  onStop: (why: 'deadline' | 'cancelled') => number = () => 0,
): Promise<(Exit & { pid: number; session: Session }) | CommandLoss> {
  const { name } = there.connection.target
  const lost = (handed: boolean, message: string): CommandLoss => ({
    kind: 'lost',
    lost: handed ? 'unknown' : 'not_started',
    message,
  })
  for (let again = true; ; again = false) {
    let session: Session
    try {
      session = await there.connection.session(there.urgency, signal)
    } catch (error) {
      return lost(false, signal.aborted ? `It was stopped before it began on ${name}.` : messageOf(error))
    }
    const { end, pid } = await watched(session, script(), signal, deadline_ms, there.limits.give_up, onStop)
    if (end.kind === 'exit') return { ...end, pid, session }
    if (!end.handed && again && session.closed.aborted && !signal.aborted) continue
    const how = end.handed ? 'It is not known how it ended' : 'It had not begun'
    const why = session.closed.aborted ? messageOf(session.closed.reason) : `${name} gave no answer: ${end.why}.`
    return lost(end.handed, `${why} ${how}.`)
  }
}

async function watched(
  session: Session,
  script: Script,
  signal: AbortSignal,
  deadline_ms: number,
  give_up_ms: number,
  onStop: (why: 'deadline' | 'cancelled') => number,
): Promise<{ end: ScriptEnd; pid: number }> {
  const begun = Promise.withResolvers<number>()
  let pid = 0
  const onBegin = (began: number) => {
    pid = began
    script.onBegin?.(began)
    begun.resolve(began)
  }
  try {
    const running = await session.start({ ...script, onBegin }, signal)
    let stopping = false
    const stop = async (why: 'deadline' | 'cancelled') => {
      if (stopping) return
      stopping = true
      const grace_ms = onStop(why)
      const over = () => running.abandon(why === 'deadline' ? 'it did not end in time' : 'it did not end when it was told to')
      last = setTimeout(over, grace_ms + give_up_ms)
      // One that is told to end before it has begun is told when it has.
      await session.end(await begun.promise, grace_ms)
    }
    let last: NodeJS.Timeout | undefined
    const onAbort = () => void stop('cancelled')
    const deadline = setTimeout(() => void stop('deadline'), deadline_ms)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    const end = await running.ended
    clearTimeout(deadline)
    clearTimeout(last)
    signal.removeEventListener('abort', onAbort)
    return { end, pid }
  } catch (error) {
    return { end: { kind: 'lost', handed: false, why: messageOf(error) }, pid }
  }
}

function messageOf(error: unknown): string {
  return error instanceof MachineUnreachable || error instanceof Error ? error.message : String(error)
}
