import type { Client } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { say, type Sentence } from '../../kernel/sentence.ts'

const PAGE_LIMIT = 500
/** Characters of all pages together. */
const LIST_LIMIT = 32 * 1024 * 1024

/**
 * Reads all pages of a list without checking the items: at most 500 pages, 32 MiB and `most` items, `problems` reporting
 * anything beyond that. Rejects when a page cannot be read.
 */
export async function readPages(
  client: Client,
  method: 'tools/list' | 'prompts/list',
  member: 'tools' | 'prompts',
  most: number,
  signal: AbortSignal,
): Promise<{ items: unknown[]; problems: Sentence[] }> {
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
    if (length > LIST_LIMIT) {
      const problem =
        member === 'tools'
          ? say`Its list of tools is too large: everything after ${page} pages is left out.`
          : say`Its list of prompts is too large: everything after ${page} pages is left out.`
      return { items, problems: [problem] }
    }
    items.push(...listed)
    if (items.length > most) {
      const problem =
        member === 'tools'
          ? say`It lists more than ${most} tools: the rest are left out.`
          : say`It lists more than ${most} prompts: the rest are left out.`
      return { items: items.slice(0, most), problems: [problem] }
    }
    const next = answer.nextCursor as string | undefined
    if (next === undefined) return { items, problems: [] }
    if (seen.has(next)) break
    seen.add((cursor = next))
  }
  const problem =
    member === 'tools'
      ? say`Its list of tools does not end: everything after ${seen.size} pages is left out.`
      : say`Its list of prompts does not end: everything after ${seen.size} pages is left out.`
  return { items, problems: [problem] }
}
