import type { CommandLoss } from '../../modules/machines.ts'
import type { There } from './ask.ts'
import type { Script, ScriptEnd } from './exchange.ts'
import type { Session } from './session.ts'
import type { SshLimits } from './target.ts'

type Exit = Extract<ScriptEnd, { kind: 'exit' }>

/** Called when it is told to end; says after how many milliseconds it has to. */
type OnStop = (why: 'deadline' | 'cancelled') => number

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
  onStop: OnStop = () => 0,
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
    const { end, pid } = await watched(session, script(), signal, deadline_ms, there.limits, onStop)
    if (end.kind === 'exit') return { ...end, pid, session }
    if (!end.handed && again && session.closed.aborted && !signal.aborted) continue
    const how = end.handed ? 'It is not known how it ended' : 'It had not begun'
    const why = session.closed.aborted ? messageOf(session.closed.reason) : `${name} gave no answer: ${end.why}.`
    return lost(end.handed, `${why} ${how}.`)
  }
}

/** Until it has begun, no longer than for any answer; from then on, until its deadline. */
async function watched(
  session: Session,
  script: Script,
  signal: AbortSignal,
  deadline_ms: number,
  limits: SshLimits,
  onStop: OnStop,
): Promise<{ end: ScriptEnd; pid: number }> {
  const begun = Promise.withResolvers<number>()
  let pid = 0
  let timer: NodeJS.Timeout | undefined
  let stopping = false
  let abandon: (why: string) => void = () => undefined
  const stop = async (why: 'deadline' | 'cancelled') => {
    if (stopping) return
    stopping = true
    const grace_ms = onStop(why)
    clearTimeout(timer)
    timer = setTimeout(() => abandon('it did not end when it was told to'), grace_ms + limits.give_up)
    // One that is told to end before it has begun is told when it has.
    await session.end(await begun.promise, grace_ms)
  }
  const onAbort = () => void stop('cancelled')
  const waiting = new AbortController()
  const begin = setTimeout(() => waiting.abort(new Error('it was too busy to begin')), limits.answer)
  try {
    const onBegin = (began: number) => {
      pid = began
      clearTimeout(begin)
      if (!stopping) timer = setTimeout(() => void stop('deadline'), deadline_ms)
      script.onBegin?.(began)
      begun.resolve(began)
    }
    const running = await session.start({ ...script, onBegin }, AbortSignal.any([signal, waiting.signal]))
    abandon = (why) => running.abandon(why)
    waiting.signal.addEventListener('abort', () => abandon('it did not begin'), { once: true })
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    return { end: await running.ended, pid }
  } catch (error) {
    return { end: { kind: 'lost', handed: false, why: messageOf(error) }, pid }
  } finally {
    clearTimeout(begin)
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
