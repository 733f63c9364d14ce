import type { Client } from '@modelcontextprotocol/client'
import type { ModulePrompt } from '../../../contract/modules.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { sentenceOf } from '../spec/module-problem.ts'
import { connectionFailure } from './broken-connection.ts'
import type { PinnedTool } from './pinned-tool.ts'
import { readPrompts } from './prompt-list.ts'
import { readTools, type ToolOwner } from './tool-list.ts'

const AT_MOST_EVERY_MS = 1000
const READ_MS = 15_000
const LISTEN_AGAIN_MS = 5000
/** How often in a row a server that announces change notifications and then refuses them is tried. */
const LISTEN_TRIES = 5
const PROBLEM_LIMIT = 5

/** What a module currently offers. */
export interface ModuleLists {
  tools(): ReadonlyMap<string, PinnedTool>
  prompts(): readonly ModulePrompt[]
  /** What is left out or could not be read; empty when nothing is. */
  problems(): readonly Sentence[]
  /** Resolves when every change that the module has announced so far has been read. */
  settled(): Promise<void>
  close(): void
}

interface Read {
  readonly tools: ReadonlyMap<string, PinnedTool>
  readonly prompts: readonly ModulePrompt[]
  readonly problems: readonly Sentence[]
}

const NOTHING: Read = { tools: new Map(), prompts: [], problems: [] }

/**
 * Reads tools and prompts, and reads them again when the module announces a change, at most once a second, calling
 * `onChange` afterwards. A list that cannot be read is empty at first and later stays as it was; either way it is
 * reported as a problem. Rejects when `signal` aborts or the connection fails.
 */
export async function openLists(
  client: Client,
  owner: ToolOwner,
  signal: AbortSignal,
  onChange: () => void,
): Promise<ModuleLists> {
  const first = await readLists(client, owner, NOTHING, signal)
  signal.throwIfAborted()
  // The other end is gone, which is not the same as a module without tools.
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
    // A change announced from here on may be missing from what is read now.
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
      // Catches changes made while there was no subscription.
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

  const lost = [tools, prompts].find((list) => list.status === 'rejected' && isLost(list.reason))
  return {
    tools: tools.status === 'fulfilled' ? tools.value.tools : before.tools,
    prompts: prompts.status === 'fulfilled' ? prompts.value.prompts : before.prompts,
    problems: [
      ...(tools.status === 'fulfilled'
        ? tools.value.problems
        : [say`Its tools could not be read (${sentenceOf(tools.reason)}).`]),
      ...(prompts.status === 'fulfilled'
        ? prompts.value.problems
        : [say`Its prompts could not be read (${sentenceOf(prompts.reason)}).`]),
    ],
    lost: lost?.status === 'rejected' ? (lost.reason as Error) : null,
  }
}

function isLost(reason: unknown): boolean {
  const code = reason instanceof Error && 'code' in reason ? reason.code : null
  return code === 'CONNECTION_CLOSED' || connectionFailure(reason) !== null
}

function short(problems: readonly Sentence[]): readonly Sentence[] {
  if (problems.length <= PROBLEM_LIMIT) return problems
  return [...problems.slice(0, PROBLEM_LIMIT), say`And ${problems.length - PROBLEM_LIMIT} more.`]
}
