import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { accounts } from '../../contract/accounts.ts'
import { chat } from '../../contract/chat.ts'
import { conversations } from '../../contract/conversations.ts'

/**
 * Written by the build (scripts/page-files.mjs): what the browser needs for a page, the largest first, and the texts of each
 * language, as paths. `chat?c` is the page with this parameter.
 */
export interface PageFiles {
  readonly pages: Readonly<Record<string, readonly string[]>>
  readonly languages: Readonly<Record<string, string>>
}

/** Whom a page is for. */
export interface PageReader {
  readonly language: string
  readonly signedIn: boolean
}

export const NO_PAGE_FILES: PageFiles = { pages: {}, languages: {} }

/** The list in the folder of a build; an empty one when there is no build. */
export async function readPageFiles(root: string): Promise<PageFiles> {
  const text = await readFile(join(root, '.preloads.json'), 'utf8').catch(() => null)
  return text === null ? NO_PAGE_FILES : (JSON.parse(text) as PageFiles)
}

/**
 * A `Link` header that lets the browser fetch what a page needs together with the page: otherwise it learns of the page's
 * scripts only when the first ones have run, and of its data only after that. The addresses in it are those that
 * web/client/queries.ts and web/chat/thread/use-conversation.ts ask for, so that nothing is fetched twice.
 * @param url of the request: path and query
 */
export function preloadHeader(files: PageFiles, url: string, reader: PageReader): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const page = pageOf(pathname)
  const conversation = page === 'chat' ? searchParams.get('c') : null
  const [largest, ...others] = (files.pages[conversation === null ? page : 'chat?c'] ?? []).map((path) =>
    path.endsWith('.css') ? `<${path}>; rel=preload; as=style; crossorigin` : `<${path}>; rel=modulepreload`,
  )
  const texts = files.languages[reader.language]
  const data = [...(reader.signedIn ? [accounts.session.path, ...dataOf(page, conversation)] : []), texts]
    .filter((path) => path !== undefined)
    .map((path) => `<${path}>; rel=preload; as=fetch; crossorigin`)
  return [...(largest === undefined ? [] : [largest, ...data]), ...others].join(', ')
}

/** What the page asks for at once, and shows nothing without. */
function dataOf(page: string, conversation: string | null): readonly string[] {
  if (page !== 'chat') return []
  // A new conversation begins with the tools that there are.
  if (conversation === null) return [chat.listTools.path]
  // Nothing of an address becomes part of a header unless it is an id.
  if (!/^\w{1,64}$/.test(conversation)) return []
  return [conversations.conversation.path.replace('{conversation_id}', conversation)]
}

/** The page at a path: named after its first segment, with the two exceptions that web/shell/router.tsx has. */
function pageOf(path: string): string {
  const [, first = '', second = ''] = path.split('/')
  if (first === '') return 'dashboard'
  return first === 'modules' && second !== '' ? 'module' : first
}
