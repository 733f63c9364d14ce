import type { Caller } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say, type Sentence } from '../../../kernel/sentence.ts'
import { cut, storable, visible } from '../../../kernel/text/plain-text.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { type ModuleRecord, newRecord } from '../store/module-record.ts'
import { saveRow, saveSecret } from '../store/module-rows.ts'
import { secretPurpose } from '../module-terms.ts'
import { ONLY_PROTECTED } from '../../spec/unprotected.ts'
import { HEADERS, remoteProblems, SIGN_IN, TOKEN } from '../settings/remote-settings.ts'

const NO_SETTINGS: ModuleRecord['settings'] = {}

export interface RemoteRequest {
  readonly name: string
  readonly display_name?: string | undefined
  readonly url: string
  readonly token?: string | undefined
  readonly headers?: string | undefined
  readonly sign_in?: 'shared' | 'person' | undefined
  readonly allow_private: boolean
}

/**
 * Adds an MCP server by its address. It is not contacted before it is enabled.
 * @throws {AppError} bad_module_url, invalid_request, name_of_builtin, module_exists
 */
export async function addRemote(context: CatalogueContext, request: RemoteRequest, caller: Caller): Promise<void> {
  const { name, token, headers, sign_in, allow_private } = request
  const url = usableUrl(request)
  const values = {
    ...(token !== undefined && { [TOKEN]: token }),
    ...(headers !== undefined && { [HEADERS]: headers }),
    ...(sign_in !== undefined && { [SIGN_IN]: sign_in }),
  }
  const problems = remoteProblems(url.href, allow_private, values)
  if (problems.some(({ message }) => message === ONLY_PROTECTED)) throw new AppError('bad_module_url', ONLY_PROTECTED)
  const errors = problems.map(({ key, message }) => ({ path: key, message }))
  if (errors.length > 0) throw new AppError('invalid_request', say`Some settings are not usable.`, { errors })
  if (context.builtins.has(name)) throw new AppError('name_of_builtin', say`${name} is the name of a built-in module.`)
  if (context.records().has(name)) throw new AppError('module_exists', say`There is a module ${name} already.`)
  const display_name = cut(visible(storable(request.display_name ?? name)), 80)
  const record = {
    ...newRecord(name, 'remote', display_name),
    url: url.href,
    allow_private,
    settings: sign_in === undefined ? NO_SETTINGS : { [SIGN_IN]: sign_in },
  }
  await context.locks.hold(name, () =>
    context.change(record, {
      caller,
      action: 'module.installed',
      // The query is left out because some servers take their key in it.
      details: { url: `${url.origin}${url.pathname}`, allow_private, ...(sign_in !== undefined && { sign_in }) },
      async work(trx, now) {
        await saveRow(trx, record, {}, now)
        for (const [key, value] of Object.entries(values))
          if (key !== SIGN_IN)
            await saveSecret(trx, name, key, context.vault.seal(secretPurpose(name, key), value), now)
      },
    }),
  )
}

/** Checks the address itself; what it resolves to can change and is checked at every connection. */
function usableUrl({ url: text }: RemoteRequest): URL {
  const refuse = (why: Sentence) => new AppError('bad_module_url', why)
  if (!URL.canParse(text)) throw refuse(say`This is no address.`)
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') {
    throw refuse(say`An address cannot hold a name or password. Enter the token in its own field.`)
  }
  if (url.hash !== '') throw refuse(say`The address of a server has no part after #.`)
  return url
}
