import type { Client } from '@modelcontextprotocol/client'
import type { ModulePrompt } from '../../contract/modules.ts'
import { cut, visible } from '../kernel/text.ts'
import { connectionFailure } from './broken-connection.ts'
import type { PinnedTool } from './pinned-tool.ts'
import { readPrompts } from './prompt-list.ts'
import { readTools, type ToolOwner } from './tool-list.ts'

const AT_MOST_EVERY_MS = 1000
const READ_MS = 15_000
const LISTEN_AGAIN_MS = 5000
/** A server that says it tells of changes and then does not is believed so often in a row. */
const LISTEN_TRIES = 5
const PROBLEM_LIMIT = 5

/** What a module offers, kept as it is now. */
export interface ModuleLists {
  tools(): ReadonlyMap<string, PinnedTool>
  prompts(): readonly ModulePrompt[]
  /** Sentences about what is left out or could not be read; empty when nothing is. */
  problems(): readonly string[]
  /** Settles when every change that the module has announced until now was read. */
  settled(): Promise<void>
  close(): void
}

interface Read {
  readonly tools: ReadonlyMap<string, PinnedTool>
  readonly prompts: readonly ModulePrompt[]
  readonly problems: readonly string[]
}

const NOTHING: Read = { tools: new Map(), prompts: [], problems: [] }

/**
 * Reads tools and prompts, and reads them again when the module says that they changed, at most once a second; `onChange` is called
 * then. A list that cannot be read is empty at first, later stays as it was; either is a problem. Rejects when `signal` aborts or the connection fails.
 */
export async function openLists(
  client: Client,
  owner: ToolOwner,
  signal: AbortSignal,
  onChange: () => void,
): Promise<ModuleLists> {
  const first = await readLists(client, owner, NOTHING, signal)
  signal.throwIfAborted()
  // Nobody is there: that is no module without tools.
  if (first.lost !== null) throw first.lost
  let now: Read = first
  const closing = new AbortController()
  const timers = new Set<NodeJS.Timeout>()
  let readAt = performance.now()
  let pending: Promise<void> | null = null
  let changedAgain = false

  async function pause(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      timers.add(timer)
      closing.signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  async function readAgain(): Promise<void> {
    await pause(Math.max(readAt + AT_MOST_EVERY_MS - performance.now(), 0))
    // What is announced from here on may not be in what is read now.
    changedAgain = false
    readAt = performance.now()
    const next = await readLists(client, owner, now, AbortSignal.any([closing.signal, AbortSignal.timeout(READ_MS)]))
    if (closing.signal.aborted) return
    now = next
    onChange()
  }

  function changed(): void {
    if (closing.signal.aborted) return
    if (pending !== null) {
      changedAgain = true
      return
    }
    pending = readAgain().finally(() => {
      pending = null
      if (changedAgain) changed()
    })
  }

  async function listen(): Promise<void> {
    const { tools, prompts } = client.getServerCapabilities() ?? {}
    const filter = {
      ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
      ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
    }
    if (Object.keys(filter).length === 0) return
    for (let refusals = 0; refusals < LISTEN_TRIES && !closing.signal.aborted; await pause(LISTEN_AGAIN_MS)) {
      const subscription = await client.listen(filter, { signal: closing.signal }).catch(() => null)
      if (subscription === null) {
        refusals++
        continue
      }
      // What changed while nobody listened.
      if (refusals > 0) changed()
      refusals = 0
      if ((await subscription.closed) === 'local') return
      refusals++
    }
  }

  client.setNotificationHandler('notifications/tools/list_changed', changed)
  client.setNotificationHandler('notifications/prompts/list_changed', changed)
  if (client.getProtocolEra() === 'modern') void listen()
  return {
    tools: () => now.tools,
    prompts: () => now.prompts,
    problems: () => short(now.problems),
    settled: () => pending ?? Promise.resolve(),
    close() {
      closing.abort()
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

async function readLists(
  client: Client,
  owner: ToolOwner,
  before: Read,
  until: AbortSignal,
): Promise<Read & { lost: Error | null }> {
  const [tools, prompts] = await Promise.allSettled([readTools(client, owner, until), readPrompts(client, until)])
  const unread = (what: string, reason: unknown) =>
    `Its ${what} could not be read: ${cut(visible(reason instanceof Error ? reason.message : String(reason)), 200)}.`
  const lost = [tools, prompts].find((list) => list.status === 'rejected' && isLost(list.reason))
  return {
    tools: tools.status === 'fulfilled' ? tools.value.tools : before.tools,
    prompts: prompts.status === 'fulfilled' ? prompts.value.prompts : before.prompts,
    problems: [
      ...(tools.status === 'fulfilled' ? tools.value.problems : [unread('tools', tools.reason)]),
      ...(prompts.status === 'fulfilled' ? prompts.value.problems : [unread('prompts', prompts.reason)]),
    ],
    lost: lost?.status === 'rejected' ? (lost.reason as Error) : null,
  }
}

function isLost(reason: unknown): boolean {
  const code = reason instanceof Error && 'code' in reason ? reason.code : null
  return code === 'CONNECTION_CLOSED' || connectionFailure(reason) !== null
}

function short(problems: readonly string[]): readonly string[] {
  if (problems.length <= PROBLEM_LIMIT) return problems
  return [...problems.slice(0, PROBLEM_LIMIT), `And ${problems.length - PROBLEM_LIMIT} more.`]
}
