import type { InfiniteData } from '@tanstack/react-query'
import type { Output } from '../../client/api-types.ts'

export type ConversationPage = Output<'GET /api/chat/conversations'>
export type ConversationEntry = ConversationPage['items'][number]
export type Folder = ConversationPage['folders'][number]
/** Loaded pages of one list, newest conversation first. */
export type ConversationPages = InfiniteData<ConversationPage, string | null>

/** The order of the list: newest first, equal times by id, as the server pages them. Negative: `a` comes first. */
function compareEntries(a: ConversationEntry, b: ConversationEntry): number {
  if (a.updated_at !== b.updated_at) return a.updated_at > b.updated_at ? -1 : 1
  return a.conversation_id > b.conversation_id ? -1 : a.conversation_id < b.conversation_id ? 1 : 0
}

const entries = new WeakMap<ConversationPages, readonly ConversationEntry[]>()

/** All entries of the pages; the same array for the same pages. */
export function entriesOf(data: ConversationPages): readonly ConversationEntry[] {
  const known = entries.get(data) ?? data.pages.flatMap((page) => page.items)
  entries.set(data, known)
  return known
}

/**
 * The list after its newest page was read again: later pages stay as they are, because a page's cursor does not depend
 * on the pages before it. Entries as new as the fresh page but not in it have left the list.
 */
export function withFreshHead(data: ConversationPages, fresh: ConversationPage): ConversationPages {
  const boundary = fresh.items.at(-1)
  if (fresh.next_cursor === null || boundary === undefined || data.pages.length < 2)
    return { pages: [fresh], pageParams: [null] }
  const inFresh = new Set(fresh.items.map((item) => item.conversation_id))
  const older = (items: readonly ConversationEntry[]) =>
    items.filter((item) => !inFresh.has(item.conversation_id) && compareEntries(boundary, item) < 0)
  const [first, second, ...rest] = data.pages.map((page) => ({ ...page, items: older(page.items) }))
  return {
    pages: [fresh, { ...second!, items: [...first!.items, ...second!.items] }, ...rest],
    pageParams: data.pageParams,
  }
}

/** The list without a conversation. Returns the same data when it was not in it, which avoids a render. */
export function withoutEntry(data: ConversationPages, id: string): ConversationPages {
  if (!entriesOf(data).some((item) => item.conversation_id === id)) return data
  const pages = data.pages.map((page) => ({ ...page, items: page.items.filter((item) => item.conversation_id !== id) }))
  return { ...data, pages }
}

/** The list with a conversation at its position; if that is beyond the loaded pages, paging will bring it. */
export function withEntry(data: ConversationPages, entry: ConversationEntry): ConversationPages {
  const { pages, pageParams } = withoutEntry(data, entry.conversation_id)
  let page = pages.findIndex((one) => {
    const last = one.items.at(-1)
    return last !== undefined && compareEntries(entry, last) < 0
  })
  if (page === -1) {
    page = pages.length - 1
    if (pages[page]?.next_cursor !== null) return { pages, pageParams }
  }
  const { items } = pages[page]!
  const at = items.findIndex((item) => compareEntries(entry, item) < 0)
  return {
    pages: pages.with(page, { ...pages[page]!, items: items.toSpliced(at === -1 ? items.length : at, 0, entry) }),
    pageParams,
  }
}

/** The list with a conversation's fields changed, at its current position. */
export function withPatch(data: ConversationPages, id: string, patch: Partial<ConversationEntry>): ConversationPages {
  if (!entriesOf(data).some((item) => item.conversation_id === id)) return data
  const pages = data.pages.map((page) => ({
    ...page,
    items: page.items.map((item) => (item.conversation_id === id ? { ...item, ...patch } : item)),
  }))
  return { ...data, pages }
}
