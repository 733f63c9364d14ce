import type { Caller } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say, type Sentence } from '../../../kernel/sentence.ts'
import { cut, storable, visible } from '../../../kernel/text/plain-text.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { newRecord } from '../store/module-record.ts'
import { saveRow, saveSecret } from '../store/module-rows.ts'
import { secretPurpose } from '../module-terms.ts'
import { ONLY_PROTECTED, unprotected } from '../../spec/unprotected.ts'
import { TOKEN } from '../settings/remote-settings.ts'

export interface RemoteRequest {
  readonly name: string
  readonly display_name?: string | undefined
  readonly url: string
  readonly token?: string | undefined
  readonly allow_private: boolean
}

/**
 * Adds an MCP server by its address. It is not contacted before it is enabled.
 * @throws {AppError} bad_module_url, name_of_builtin, module_exists
 */
export async function addRemote(context: CatalogueContext, request: RemoteRequest, caller: Caller): Promise<void> {
  const { name, token } = request
  const url = usableUrl(request)
  if (context.builtins.has(name)) throw new AppError('name_of_builtin', say`${name} is the name of a built-in module.`)
  if (context.records().has(name)) throw new AppError('module_exists', say`There is a module ${name} already.`)
  const display_name = cut(visible(storable(request.display_name ?? name)), 80)
  const record = {
    ...newRecord(name, 'remote', display_name),
    url: url.href,
    allow_private: request.allow_private,
  }
  await context.locks.hold(name, () =>
    context.change(record, {
      caller,
      action: 'module.installed',
      // The query is left out because some servers take their key in it.
      details: { url: `${url.origin}${url.pathname}`, allow_private: request.allow_private },
      async work(trx, now) {
        await saveRow(trx, record, {}, now)
        if (token !== undefined)
          await saveSecret(trx, name, TOKEN, context.vault.seal(secretPurpose(name, TOKEN), token), now)
      },
    }),
  )
}

/** Checks the address itself; what it resolves to can change and is checked at every connection. */
function usableUrl({ url: text, token, allow_private }: RemoteRequest): URL {
  const refuse = (why: Sentence) => new AppError('bad_module_url', why)
  if (!URL.canParse(text)) throw refuse(say`This is no address.`)
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') {
    throw refuse(say`An address cannot hold a name or password. Enter the token in its own field.`)
  }
  if (url.hash !== '') throw refuse(say`The address of a server has no part after #.`)
  if (token !== undefined && unprotected(url.href, allow_private)) throw refuse(ONLY_PROTECTED)
  return url
}
