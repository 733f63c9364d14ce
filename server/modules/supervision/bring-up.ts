import { connectionFailure } from '../mcp/broken-connection.ts'
import { type ConnectionPorts, type ModuleConnection, openConnection } from '../mcp/connection.ts'
import { exitWithin } from './exit-within.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import type { ModuleLink } from '../spec/module-link.ts'
import { sentenceOf } from '../spec/module-problem.ts'
import type { ModuleSpec } from '../spec/module-spec.ts'
import { LEGACY, TryLegacy } from '../mcp/legacy.ts'
import { StartFailure } from './start-failure.ts'

export interface StartedModule {
  readonly link: ModuleLink
  readonly connection: ModuleConnection
}

/** What a start is at, and what the failure says when it took too long. */
interface Phase {
  readonly late: (seconds: number) => Sentence
}
const ANSWER: Phase = { late: (seconds) => say`It did not answer within ${seconds} s.` }
const LISTS: Phase = {
  late: (seconds) => say`It answered, but its lists of tools and prompts did not arrive within ${seconds} s.`,
}

/**
 * Prepares a module, starts it and connects to it: process, handshake and lists, these within `deadline_ms` in total.
 * Leaves nothing behind on failure. `tell` says what takes its time.
 * @throws {StartFailure}
 */
export async function bringUp(
  spec: ModuleSpec,
  ports: ConnectionPorts,
  deadline_ms: number,
  stop: AbortSignal,
  tell: (phase: Sentence) => void,
): Promise<StartedModule> {
  try {
    await orAborted(spec.prepare?.(stop, tell) ?? Promise.resolve(), stop)
  } catch (error) {
    throw new StartFailure(sentenceOf(error), null, [], error)
  }
  const deadline = AbortSignal.timeout(deadline_ms)
  const signal = AbortSignal.any([stop, deadline])
  let phase = ANSWER
  const failed = (error: unknown): StartFailure =>
    inWords(error, deadline.aborted ? phase.late(Math.ceil(deadline_ms / 1000)) : null)
  const once = (wanted: ModuleSpec): Promise<StartedModule> => {
    phase = ANSWER
    tell(say`It was started and has not answered yet.`)
    const onGreeted = (): void => {
      phase = LISTS
      tell(say`It answered, and its lists of tools and prompts have not arrived yet.`)
    }
    return startOnce(wanted, { ...ports, onGreeted }, deadline_ms, signal)
  }
  try {
    return await once(spec)
  } catch (error) {
    const { openOld } = spec
    if (openOld !== undefined && error instanceof StartFailure && isOldServer(error.cause) && !signal.aborted)
      // If that is not understood either, the first answer says more.
      return await once({ ...spec, open: openOld, probe: LEGACY }).catch(() => Promise.reject(failed(error)))
    if (!(error instanceof StartFailure && error.cause instanceof TryLegacy) || signal.aborted) throw failed(error)
  }
  try {
    const started = await once({ ...spec, probe: LEGACY })
    spec.onProbe(LEGACY)
    return started
  } catch (error) {
    throw failed(error)
  }
}

async function startOnce(
  spec: ModuleSpec,
  ports: ConnectionPorts,
  timeout: number,
  signal: AbortSignal,
): Promise<StartedModule> {
  const link = await opened(spec, signal)
  try {
    // A slow start must not end by the client's own limits: its error could not be told from others.
    return { link, connection: await orAborted(openConnection(link, spec, ports, timeout + 1000, signal), signal) }
  } catch (error) {
    const exit = signal.aborted || spec.kind === 'remote' ? null : await exitWithin(link)
    await link.close().catch(() => undefined)
    const failure = spec.kind === 'remote' ? connectionFailure(error) : null
    throw new StartFailure(failure?.detail ?? sentenceOf(error), exit, link.stderr(), error)
  }
}

/** How a server that only knows the transport before Streamable HTTP answers a request that is posted to it. */
function isOldServer(error: unknown): boolean {
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  return status === 400 || status === 404 || status === 405
}

/** Opens the link; one that opens after `signal` aborted is closed again. */
async function opened(spec: ModuleSpec, signal: AbortSignal): Promise<ModuleLink> {
  const opening = spec.open(signal)
  try {
    return await orAborted(opening, signal)
  } catch (error) {
    opening.then((link) => link.close()).catch(() => undefined)
    throw new StartFailure(sentenceOf(error), null, [], error)
  }
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: (() => void) | undefined
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason as Error)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort)
  }
}

/** `late`: what to say when it ended because its time was over. */
function inWords(error: unknown, late: Sentence | null): StartFailure {
  const failure = error instanceof StartFailure ? error : new StartFailure(sentenceOf(error), null, [], error)
  const { exit, stderr, cause } = failure
  if (exit !== null) return new StartFailure(exit.reason, exit, stderr, cause)
  return late === null ? failure : new StartFailure(late, null, stderr, cause)
}
