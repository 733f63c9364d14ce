import { addressTemplate } from '../../contract/address-template.ts'
import type { FileEntry } from '../../contract/files.ts'
import type { ResourceEntry, ResourceModule } from '../../contract/resources.ts'
import type { Caller } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import { quoted, say, type Sentence } from '../kernel/sentence.ts'
import { hashOf } from '../kernel/text/canonical.ts'
import { fold, storable } from '../kernel/text/plain-text.ts'
import { reasonOf } from './module-prompts.ts'
import type {
  ChosenResource,
  Completing,
  OfferedResources,
  Offers,
  OfferingModule,
  ReadResource,
} from './ports/offers.ts'
import type { JudgedTool, UserPolicy, Verdict } from './ports/policy.ts'
import { Readings } from './readings.ts'
import type { RunContext } from './run/run-context.ts'

/** Reading is judged as if each module had one more tool that only reads: `tool:<module>.resources`, with `uri`. */
const NAME = 'resources'
const SCHEMA = {
  type: 'object',
  properties: { uri: { type: 'string' } },
  required: ['uri'],
  additionalProperties: false,
}
const LIST_MS = 10_000
const ADDRESS_LIMIT = 2000

/** The resources of modules that a given person may read. What is read becomes files of theirs, which say where it is from. */
export class ModuleResources {
  readonly #context: RunContext
  readonly #offers: Offers
  readonly #readings = new Readings()

  constructor(context: RunContext, offers: Offers) {
    this.#context = context
    this.#offers = offers
  }

  async modules(caller: Caller): Promise<ResourceModule[]> {
    return (await this.#readable(caller)).map(({ module, title, policy }) => ({ module, title, policy }))
  }

  /** The words of `q` in what is said of them, ignoring case. Modules that do not answer in time are named. */
  async list(caller: Caller, { q, limit }: { readonly q: string; readonly limit: number }) {
    const modules = await this.#readable(caller)
    const lists = await Promise.all(
      modules.map(async ({ module, title }) => {
        const asked = this.#offers.resources(module, caller.language).catch(() => null)
        return { module, title, listed: await Promise.race([asked, after(LIST_MS)]) }
      }),
    )
    const words = fold(q).split(/\s+/).filter(Boolean)
    const found = lists
      .flatMap(({ module, title, listed }) => entriesOf(module, listed).map((entry) => ({ entry, title })))
      .filter(({ entry, title }) => {
        const said = fold([title, entry.title, entry.name, entry.description, entry.uri ?? entry.template].join(' '))
        return words.every((word) => said.includes(word))
      })
      .map(({ entry }) => entry)
    return {
      items: found.slice(0, limit),
      more: found.length > limit || lists.some(({ listed }) => listed?.more === true),
      silent: lists.filter(({ listed }) => listed === null).map(({ title }) => title),
    }
  }

  /** @throws {AppError} not_found, invalid_request, forbidden, approval_required, too_many_readings, module_unavailable, quota_exceeded, payload_too_large */
  async read(
    caller: Caller,
    { module, resource, confirmed }: { module: string; resource: ChosenResource; confirmed: boolean },
    signal: AbortSignal,
  ): Promise<{ files: FileEntry[]; left_out: number }> {
    const { own, found } = await this.#find(caller, module)
    // Which one of a family it is, is known before the module is asked: that address is judged, and nothing else is read.
    const uri = addressOf(resource)
    const verdict = await this.#judged(own, found, uri, caller, confirmed)
    using _ = this.#readings.begin(caller.user_id, module)
    const read = await this.#ask(found, resource, uri, caller, signal)
    if (read.files.length === 0) {
      await this.#record(caller, module, 'failed', { uri, reason: 'nothing that can be attached' })
      throw new AppError('not_found', whyNothing(read))
    }
    const { attachments, audit } = this.#context.ports
    const keeping = attachments.keep(caller.user_id, {
      files: read.files.map((file) => ({ ...file, data: Buffer.from(file.data, 'base64') })),
      origin: { module, uri: storable(uri) },
      signal,
      done: (trx, entries) =>
        audit.record(trx, {
          actor: caller,
          action: 'resource.read',
          target: module,
          outcome: 'ok',
          details: {
            uri,
            files: entries.map(({ file_id, name, size }) => ({ file_id, name, size })),
            confirmed: verdict.effect === 'ask',
          },
        }),
    })
    const files = await keeping.catch(async (error: unknown) => {
      // The module was asked all the same.
      if (error instanceof AppError) await this.#record(caller, module, 'failed', { uri, reason: error.message })
      throw error
    })
    return { files, left_out: read.left_out }
  }

  /** What the module gives, or an entry in the audit log that it was asked. @throws {AppError} module_unavailable */
  async #ask(
    { module, title }: OfferingModule,
    resource: ChosenResource,
    uri: string,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<ReadResource> {
    try {
      const read = await this.#offers.readResource(module, resource, signal)
      if (read.uri === uri) return read
      throw new Error(`${read.uri} was read in place of ${uri}`)
    } catch (cause) {
      const reason = reasonOf(cause)
      await this.#record(caller, module, 'failed', { uri, reason: String(reason) })
      throw new AppError('module_unavailable', say`${title} did not give it: ${reason}`, { cause })
    }
  }

  /** What a value of a listed family of resources may be. @throws {AppError} not_found */
  async complete(
    caller: Caller,
    module: string,
    completing: Completing,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    await this.#find(caller, module)
    const { of, argument } = completing
    const listed = await this.#offers.resources(module, caller.language).catch(() => null)
    if (listed === null) return []
    const found = listed.templates.find((each) => 'template' in of && each.template === of.template)
    if (found?.arguments.includes(argument) !== true) throw new AppError('not_found', say`There is no such resource.`)
    return this.#offers.complete(module, completing, signal).catch(() => [])
  }

  async #readable(caller: Caller): Promise<(OfferingModule & { policy: 'allow' | 'ask' })[]> {
    const own = await this.#context.ports.policy.forUser(caller.user_id, caller.scope, caller.kind)
    if (own === null) return []
    return this.#offers.resourceModules(caller.language).flatMap((found) => {
      const { effect, needs = [] } = own.list(asTool(found))
      return effect === 'deny' || needs.length > 0 ? [] : [{ ...found, policy: effect }]
    })
  }

  /** @throws {AppError} not_found */
  async #find(caller: Caller, module: string): Promise<{ own: UserPolicy; found: OfferingModule }> {
    const own = await this.#context.ports.policy.forUser(caller.user_id, caller.scope, caller.kind)
    const found = this.#offers.resourceModules(caller.language).find((each) => each.module === module)
    if (own === null || found === undefined || own.list(asTool(found)).effect === 'deny')
      throw new AppError('not_found', say`There is no such resource.`)
    return { own, found }
  }

  /** What is refused is in the audit log, too. @throws {AppError} forbidden, approval_required */
  async #judged(
    own: UserPolicy,
    found: OfferingModule,
    uri: string,
    caller: Caller,
    confirmed: boolean,
  ): Promise<Verdict> {
    const verdict = own.call(asTool(found), { uri }, { untrusted: false })
    const others = (verdict.needs ?? []).length > 0
    // A program may not confirm what its owner is asked about.
    if (verdict.effect === 'ask' && !others && !(confirmed && caller.kind === 'session'))
      throw new AppError('approval_required', quoted(verdict.reason))
    if (verdict.effect === 'allow' || (verdict.effect === 'ask' && !others)) return verdict
    await this.#record(caller, found.module, 'refused', { uri, reason: verdict.reason })
    if (verdict.effect === 'deny') throw new AppError('forbidden', quoted(verdict.reason))
    throw new AppError('forbidden', say`Others decide about this, so it can only be read by a call. ${verdict.reason}`)
  }

  async #record(caller: Caller, module: string, outcome: 'refused' | 'failed', details: Record<string, string>) {
    const { db, ports } = this.#context
    await db.transaction((trx) =>
      ports.audit.record(trx, { actor: caller, action: 'resource.read', target: module, outcome, details }),
    )
  }
}

/** @throws {AppError} not_found, invalid_request (values) */
function addressOf(resource: ChosenResource): string {
  if ('uri' in resource) return resource.uri
  const { template, values } = resource
  const family = addressTemplate(template)
  if (family === null) throw new AppError('not_found', say`There is no such resource.`)
  const missing = family.names.find((name) => (Object.hasOwn(values, name) ? values[name] : '') === '')
  if (missing !== undefined) throw wrong(`values.${missing}`, say`“${missing}” is required.`)
  const uri = family.expand(values)
  if (uri.length > ADDRESS_LIMIT) throw wrong('values', say`An address may have at most ${ADDRESS_LIMIT} characters.`)
  return uri
}

function wrong(path: string, message: Sentence): AppError {
  return new AppError('invalid_request', message, { errors: [{ path: `resource.${path}`, message }] })
}

function asTool({ module, builtin }: OfferingModule): JudgedTool {
  return {
    module,
    name: NAME,
    effect: 'read',
    builtin,
    reach: 'machine',
    agreed: true,
    definition_hash: hashOf(SCHEMA),
    input_schema: SCHEMA,
    real_paths: false,
    fill: (input) => input,
  }
}

function entriesOf(module: string, listed: OfferedResources | null): ResourceEntry[] {
  return [
    ...(listed?.resources ?? []).map((each) => ({ ...each, module, template: null, arguments: [] })),
    ...(listed?.templates ?? []).map((each) => ({
      ...each,
      module,
      uri: null,
      size: null,
      arguments: [...each.arguments],
    })),
  ]
}

function whyNothing({ left_out }: ReadResource) {
  return left_out > 0 ? say`What it holds is too large to be attached.` : say`There is nothing in it.`
}

async function after(milliseconds: number): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, null).unref())
}
