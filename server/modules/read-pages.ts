import type { Client } from '@modelcontextprotocol/client'
import { z } from 'zod'

const PAGE_LIMIT = 64

/**
 * Reads all pages of a list, unchecked: at most 64 pages and `most` items, `problems` says when there was more. Rejects when a page
 * cannot be read.
 */
export async function readPages(
  client: Client,
  method: 'tools/list' | 'prompts/list',
  member: 'tools' | 'prompts',
  most: number,
  signal: AbortSignal,
): Promise<{ items: unknown[]; problems: string[] }> {
  const Page = z.looseObject({ [member]: z.array(z.unknown()), nextCursor: z.string().optional() })
  const items: unknown[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < PAGE_LIMIT; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const answer = await client.request({ method, params }, Page, { signal })
    items.push(...(answer[member] as unknown[]))
    if (items.length > most) {
      const problems = [`It lists more than ${most} ${member}: the others are left out.`]
      return { items: items.slice(0, most), problems }
    }
    const next = answer.nextCursor as string | undefined
    if (next === undefined) return { items, problems: [] }
    if (seen.has(next)) break
    seen.add((cursor = next))
  }
  return { items, problems: [`Its list of ${member} does not end: what comes after ${seen.size} pages is left out.`] }
}
