import { connectionFailure } from './broken-connection.ts'
import { type ConnectionPorts, type ModuleConnection, openConnection } from './connection.ts'
import { exitWithin } from './exit-within.ts'
import type { ModuleExit, ModuleLink } from './module-link.ts'
import type { ModuleSpec } from './module-spec.ts'
import { LEGACY, TryLegacy } from './open-client.ts'

export interface StartedModule {
  readonly link: ModuleLink
  readonly connection: ModuleConnection
}

/** Why a start came to nothing. `exit` is how the process ended, where it did so by itself; `stderr` its last words, not masked. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure'
  readonly exit: ModuleExit | null
  readonly stderr: readonly string[]

  constructor(message: string, exit: ModuleExit | null, stderr: readonly string[], cause: unknown) {
    super(message, { cause })
    this.exit = exit
    this.stderr = stderr
  }
}

/** How long the last words of a process that just broke its connection may take to arrive. */
const LAST_WORDS_MS = 500

/**
 * Starts a module and connects to it: process, handshake, lists, within `deadline_ms` all together. Leaves nothing behind when it
 * fails. @throws {StartFailure}
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
    // The client's own limits must not be what ends a slow start: it would be told apart from nothing.
    return { link, connection: await orAborted(openConnection(link, spec, ports, timeout + 1000, signal), signal) }
  } catch (error) {
    const exit = signal.aborted || spec.kind === 'remote' ? null : await exitWithin(link, LAST_WORDS_MS)
    await link.close().catch(() => undefined)
    const failure = spec.kind === 'remote' ? connectionFailure(error) : null
    const message = failure?.message ?? (error instanceof Error ? error.message : String(error))
    throw new StartFailure(message, exit, link.stderr(), error)
  }
}

/** Opens the link, and closes it when it comes too late for anybody. */
async function opened(spec: ModuleSpec, signal: AbortSignal): Promise<ModuleLink> {
  const opening = spec.open(signal)
  try {
    return await orAborted(opening, signal)
  } catch (error) {
    opening.then((link) => link.close()).catch(() => undefined)
    throw new StartFailure(error instanceof Error ? error.message : String(error), null, [], error)
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
  const failure = error instanceof StartFailure ? error : new StartFailure(String(error), null, [], error)
  const { exit, stderr, cause } = failure
  if (exit !== null) return new StartFailure(exit.reason, exit, stderr, cause)
  if (deadline.aborted)
    return new StartFailure(`It did not answer within ${Math.ceil(deadline_ms / 1000)} s.`, null, stderr, cause)
  return failure
}
