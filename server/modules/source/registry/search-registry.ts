import { say } from '../../../kernel/sentence.ts'
import { jsonValue } from '../../../kernel/text/json-value.ts'
import { openRegistryFetch, reached } from '../fetching.ts'
import { SourceError } from '../source-error.ts'
import { readServers, type ServerPage } from './read-servers.ts'

export interface RegistrySearch {
  readonly search: string
  /** Where the page before ended. */
  readonly cursor?: string | undefined
}

const PAGE = 30
const ANSWER_BYTES = 4 * 1024 * 1024
const LIMIT_MS = 15_000

/**
 * Asks an MCP registry for servers. Its address may end with the version of its interface (`…/v0.1`), `v0` unless it does.
 * @throws {SourceError}, or the reason of the signal
 */
export async function searchRegistry(
  registry: string,
  { search, cursor }: RegistrySearch,
  signal: AbortSignal,
): Promise<ServerPage> {
  const base = new URL(registry.endsWith('/') ? registry : `${registry}/`)
  const { host } = base
  const url = new URL(/\/v\d+(?:\.\d+)?\/$/.test(base.pathname) ? 'servers' : 'v0/servers', base)
  url.searchParams.set('limit', String(PAGE))
  url.searchParams.set('version', 'latest')
  if (search !== '') url.searchParams.set('search', search)
  if (cursor !== undefined) url.searchParams.set('cursor', cursor)
  const late = AbortSignal.timeout(LIMIT_MS)
  const ended = AbortSignal.any([signal, late])
  await using registryFetch = openRegistryFetch(base, ANSWER_BYTES)
  try {
    const asked = registryFetch.fetch(url, { headers: { accept: 'application/json' }, signal: ended })
    const answer = await reached(asked, host, ended)
    if (!answer.ok) {
      await answer.body?.cancel()
      throw new SourceError(
        'source_unreachable',
        say`${host} answered ${answer.status} when asked for ${url.pathname}.`,
      )
    }
    // Twice as many: whoever ignores the limit is read a little further, and not for ever.
    const page = readServers(jsonValue(await reached(answer.text(), host, ended)), PAGE * 2)
    if (page === null) throw new SourceError('source_refused', say`What ${host} answers is not a list of MCP servers.`)
    return page
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error
    throw new SourceError('source_unreachable', say`${host} did not answer in time.`, { cause: error })
  }
}
