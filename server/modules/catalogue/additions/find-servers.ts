import type { RegistryServer } from '../../../../contract/module-registry.ts'
import type { Caller } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import type { RegistrySearch } from '../../source/registry/search-registry.ts'
import { SourceError } from '../../source/source-error.ts'
import type { CatalogueContext } from '../catalogue-context.ts'

/** Servers of the MCP registry, each with how it can be added here. @throws {AppError} registry_off, registry_failed */
export async function findServers(
  { mcpRegistry, npm, pypi }: CatalogueContext,
  search: RegistrySearch,
  { caller, signal }: { readonly caller: Caller; readonly signal: AbortSignal },
): Promise<{ items: RegistryServer[]; next_cursor: string | null; registry: string }> {
  if (mcpRegistry === null)
    throw new AppError('registry_off', say`No MCP registry is asked: REEVE_MCP_REGISTRY is off.`)
  const [{ searchRegistry }, { describeServer }] = await Promise.all([
    import('../../source/registry/search-registry.ts'),
    import('../../source/registry/describe-server.ts'),
  ])
  try {
    const { servers, next } = await searchRegistry(mcpRegistry, search, signal)
    const possible = { npm: npm !== null, pypi: pypi !== null }
    return {
      items: servers.map((one) => describeServer(one, possible, caller.language)),
      next_cursor: next,
      registry: new URL(mcpRegistry).host,
    }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    throw new AppError('registry_failed', error.detail, { cause: error })
  }
}
