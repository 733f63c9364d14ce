import { cut } from '../../kernel/text/plain-text.ts'
import type { Wording } from '../../kernel/wording.ts'
import type { PromptTool } from '../ports/model.ts'
import { mainTools, searchTools } from '../ports/tool-search.ts'
import { findingTool, foundText, type UsableTool } from './find-tools.ts'
import { type ToolBudget, ToolRoom } from '../ports/tool-budget.ts'

/** A tool that stays offered in a conversation because it was found or used there, and when that was last, as a count. */
export interface LoadedTool {
  readonly name: string
  readonly used: number
}

/** What an engine is offered in one step. */
export interface ToolOffer {
  readonly tools: readonly PromptTool[]
  /** Names of tools that are not described, but may be called all the same. */
  readonly others: readonly string[]
  /** How the others are found; null: there are none. */
  readonly finder: Finder | null
}

/** For a model that takes none. */
export const NO_TOOLS: ToolOffer = { tools: [], others: [], finder: null }

export interface Finder {
  /** What is answered to these words, and the tools that are offered from now on. */
  find(words: string): { readonly text: string; readonly names: readonly string[] }
  /** What is loaded once these have been called or found, in this order. The same list if nothing has changed. */
  after(names: readonly string[]): readonly LoadedTool[]
}

/** The share of the budget that the main tools may fill; the rest is for what a conversation needs. */
const MAIN = 0.5
const MAIN_COUNT = 20
const FOUND = 8

/** All tools that fit; otherwise some of all modules, those that the conversation has loaded, and how the others are found. */
export function offerTools(
  usable: readonly UsableTool[],
  budget: ToolBudget | null,
  loaded: readonly LoadedTool[],
  wording: (module: string) => Wording,
): ToolOffer {
  const all = usable.map(({ prompt }) => prompt)
  if (budget === null || fits(all, budget)) return { tools: all, others: [], finder: null }
  const find = findingTool(usable)
  const room = new ToolRoom(budget)
  room.take(find)
  const share = new ToolRoom({ tokens: Math.floor(room.left.tokens * MAIN), count: MAIN_COUNT })
  const main = mainTools(usable, ({ prompt }) => share.take(prompt))
  for (const { prompt } of main) room.take(prompt)
  const mainNames = new Set(main.map(({ name }) => name))
  const byName = new Map(usable.map((one) => [one.name, one]))
  const kept = keptTools(loaded, byName, mainNames, new ToolRoom(room.left))
  const tools = [find, ...[...main, ...kept].map(({ prompt }) => prompt)]
  const offered = new Set(tools.map(({ name }) => name))
  const finder: Finder = {
    find(words) {
      const found = searchTools(usable, words, wording).slice(0, FOUND)
      const fitting = new ToolRoom(room.left)
      const names = found
        .filter(({ name, prompt }) => mainNames.has(name) || fitting.take(prompt))
        .map(({ name }) => name)
      return { text: foundText(found, new Set(names), usable), names }
    },
    after: (names) =>
      loadedAfter(
        loaded,
        names.filter((name) => byName.has(name) && !mainNames.has(name)),
        LOADED,
      ),
  }
  return { tools, others: all.map(({ name }) => name).filter((name) => !offered.has(name)), finder }
}

/** Names that are remembered: more than any budget takes, so that a larger engine finds them again. */
const LOADED = 128

function fits(tools: readonly PromptTool[], budget: ToolBudget): boolean {
  const room = new ToolRoom(budget)
  return tools.every((tool) => room.take(tool))
}

/** Those used last, as many as fit, in the order in which they were loaded: what comes before stays the same. */
function keptTools(
  loaded: readonly LoadedTool[],
  byName: ReadonlyMap<string, UsableTool>,
  main: ReadonlySet<string>,
  room: ToolRoom,
): UsableTool[] {
  const kept = new Set<UsableTool>()
  for (const { name } of loaded.toSorted((a, b) => b.used - a.used)) {
    const one = main.has(name) ? undefined : byName.get(name)
    if (one !== undefined && room.take(one.prompt)) kept.add(one)
  }
  return loaded.flatMap(({ name }) => [...kept].filter((one) => one.name === name))
}

function loadedAfter(loaded: readonly LoadedTool[], names: readonly string[], most: number): readonly LoadedTool[] {
  if (names.length === 0) return loaded
  const now = 1 + Math.max(0, ...loaded.map(({ used }) => used))
  const touched = new Set(names)
  const known = new Set(loaded.map(({ name }) => name))
  const added = [...touched].filter((name) => !known.has(name)).map((name) => ({ name: cut(name, 300), used: now }))
  const next = [...loaded.map((one) => (touched.has(one.name) ? { ...one, used: now } : one)), ...added]
  if (next.length <= most) return next
  const oldest = next.toSorted((a, b) => a.used - b.used).slice(0, next.length - most)
  return next.filter((one) => !oldest.includes(one))
}
