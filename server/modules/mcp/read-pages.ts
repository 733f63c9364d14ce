import type { Client } from '@modelcontextprotocol/client'
import { z } from 'zod'

const PAGE_LIMIT = 500
/** Characters of all pages together. */
const LIST_LIMIT = 32 * 1024 * 1024

interface Lists {
  readonly 'tools/list': 'tools'
  readonly 'prompts/list': 'prompts'
  readonly 'resources/list': 'resources'
  readonly 'resources/templates/list': 'resourceTemplates'
}

/** The items of a list, and whether these are all: otherwise which limit ended it, after how many pages. */
export interface ReadItems {
  readonly items: unknown[]
  readonly end: 'all' | 'most' | 'size' | 'pages'
  readonly pages: number
}

/**
 * Reads all pages of a list without checking the items: at most 500 pages, 32 MiB and `most` items. Rejects when a page cannot be
 * read.
 */
export async function readPages<M extends keyof Lists>(
  client: Client,
  method: M,
  member: Lists[M],
  most: number,
  signal: AbortSignal,
): Promise<ReadItems> {
  const Page = z.looseObject({ [member]: z.array(z.unknown()), nextCursor: z.string().optional() })
  const items: unknown[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  let length = 0
  for (let page = 0; page < PAGE_LIMIT; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const answer = await client.request({ method, params }, Page, { signal })
    const listed = answer[member] as unknown[]
    length += JSON.stringify(listed).length
    if (length > LIST_LIMIT) return { items, end: 'size', pages: page }
    items.push(...listed)
    if (items.length > most) return { items: items.slice(0, most), end: 'most', pages: page + 1 }
    const next = answer.nextCursor as string | undefined
    if (next === undefined) return { items, end: 'all', pages: page + 1 }
    if (seen.has(next)) break
    seen.add((cursor = next))
  }
  return { items, end: 'pages', pages: seen.size }
}
