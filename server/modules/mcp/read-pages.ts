import type { Client } from '@modelcontextprotocol/client'
import { z } from 'zod'

const PAGE_LIMIT = 64

interface Lists {
  readonly 'tools/list': 'tools'
  readonly 'prompts/list': 'prompts'
  readonly 'resources/list': 'resources'
  readonly 'resources/templates/list': 'resourceTemplates'
}

/** The items of a list, and whether these are all: otherwise which limit ended it, after how many pages. */
export interface ReadItems {
  readonly items: unknown[]
  readonly end: 'all' | 'most' | 'pages'
  readonly pages: number
}

/**
 * Reads all pages of a list without checking the items: at most 64 pages and `most` items. Rejects when a page cannot be
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
  for (let page = 0; page < PAGE_LIMIT; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const answer = await client.request({ method, params }, Page, { signal })
    items.push(...(answer[member] as unknown[]))
    if (items.length > most) return { items: items.slice(0, most), end: 'most', pages: page + 1 }
    const next = answer.nextCursor as string | undefined
    if (next === undefined) return { items, end: 'all', pages: page + 1 }
    if (seen.has(next)) break
    seen.add((cursor = next))
  }
  return { items, end: 'pages', pages: seen.size }
}
