import { connectionFailure } from '../mcp/broken-connection.ts'
import { type ConnectionPorts, type ModuleConnection, openConnection } from '../mcp/connection.ts'
import { exitWithin, LAST_WORDS_MS } from './exit-within.ts'
import { say } from '../../kernel/sentence.ts'
import type { ModuleLink } from '../spec/module-link.ts'
import { sentenceOf } from '../spec/module-problem.ts'
import type { ModuleSpec } from '../spec/module-spec.ts'
import { LEGACY, TryLegacy } from '../mcp/legacy.ts'
import { StartFailure } from './start-failure.ts'

export interface StartedModule {
  readonly link: ModuleLink
  readonly connection: ModuleConnection
}

/**
 * Starts a module and connects to it: process, handshake and lists, within `deadline_ms` in total. Leaves nothing
 * behind on failure.
 * @throws {StartFailure}
 */
export async function bringUp(
  spec: ModuleSpec,
  ports: ConnectionPorts,
  deadline_ms: number,
  stop: AbortSignal,
): Promise<StartedModule> {
  const deadline = AbortSignal.timeout(deadline_ms)
  const signal = AbortSignal.any([stop, deadline])
  try {
    return await startOnce(spec, ports, deadline_ms, signal)
  } catch (error) {
    const { openOld } = spec
    if (openOld !== undefined && error instanceof StartFailure && isOldServer(error.cause) && !signal.aborted) {
      // If that is not understood either, the first answer says more.
      return await startOnce({ ...spec, open: openOld, probe: LEGACY }, ports, deadline_ms, signal).catch(() => {
        throw inWords(error, deadline, deadline_ms)
      })
    }
    if (!(error instanceof StartFailure && error.cause instanceof TryLegacy) || signal.aborted)
      throw inWords(error, deadline, deadline_ms)
  }
  try {
    const started = await startOnce({ ...spec, probe: LEGACY }, ports, deadline_ms, signal)
    spec.onProbe(LEGACY)
    return started
  } catch (error) {
    throw inWords(error, deadline, deadline_ms)
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
    const exit = signal.aborted || spec.kind === 'remote' ? null : await exitWithin(link, LAST_WORDS_MS)
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

function inWords(error: unknown, deadline: AbortSignal, deadline_ms: number): StartFailure {
  const failure = error instanceof StartFailure ? error : new StartFailure(sentenceOf(error), null, [], error)
  const { exit, stderr, cause } = failure
  if (exit !== null) return new StartFailure(exit.reason, exit, stderr, cause)
  if (deadline.aborted)
    return new StartFailure(say`It did not answer within ${Math.ceil(deadline_ms / 1000)} s.`, null, stderr, cause)
  return failure
}
