import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import type { ModuleAddition, moduleAdditions } from '../../../../contract/module-additions.ts'
import type { Caller } from '../../../../contract/route.ts'
import { newId } from '../../../kernel/id.ts'
import type { ModuleAdditionTable } from '../../../db/rows/module-tables.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say, type Sentence } from '../../../kernel/sentence.ts'
import { fetchBundle } from '../../source/fetch-bundle.ts'
import { SourceError } from '../../source/source-error.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { checkBundleFileName } from '../install/bundle-file-name.ts'
import { type BundleUpload, installBundle, refuseNoArchive } from '../install/install-bundle.ts'
import { receiveBundle } from '../install/receive-bundle.ts'
import { saveSettings } from '../settings/settings-save.ts'
import type { Staging } from '../store/package-trees.ts'
import { packSent } from './pack-sent.ts'
import {
  additionOf,
  BEAT,
  beat,
  type Progress,
  type Steps,
  endAddition,
  insertAddition,
  listAdditions,
  stopAddition,
} from './addition-rows.ts'

export type AdditionSource = z.output<(typeof moduleAdditions.addModule.body)['schema']>['source']
/** A bundle that was received, in a folder of its own. */
interface SentBundle {
  readonly kind: 'bundle'
  readonly file: string
  readonly name: string
  readonly allowDowngrade: boolean
}

const AT_ONCE = 2

/**
 * Modules that are fetched, packed and installed without anybody waiting for an answer. What is to be entered as a
 * setting stays in memory until there is a module that can keep it sealed.
 */
export class Additions implements AsyncDisposable {
  readonly #started: () => Promise<CatalogueContext>
  readonly #running = new Map<string, { readonly stop: AbortController; readonly work: Promise<void> }>()

  /** `started` gives the catalogue once it can be changed. */
  constructor(started: () => Promise<CatalogueContext>) {
    this.#started = started
  }

  /** @throws {AppError} too_many_additions */
  async start(source: AdditionSource, caller: Caller): Promise<ModuleAddition> {
    const context = await this.#started()
    this.#refuseMore()
    return this.#begin(context, { source, caller })
  }

  /** Receives a bundle; what takes time is done once it is there. @throws {AppError} */
  async send({ fileName, body, allowDowngrade, signal }: BundleUpload, caller: Caller): Promise<ModuleAddition> {
    const name = checkBundleFileName(fileName)
    const context = await this.#started()
    this.#refuseMore()
    await using received = new AsyncDisposableStack()
    const staging = received.use(await context.trees.stage())
    const file = join(staging.folder, 'bundle')
    await receiveBundle(body, file, context.limits.packedBytes, signal)
    await refuseNoArchive(context, file)
    this.#refuseMore()
    const addition = await this.#begin(context, {
      source: { kind: 'bundle', file, name, allowDowngrade },
      caller,
      staging,
    })
    received.move()
    return addition
  }

  #refuseMore(): void {
    if (this.#running.size >= AT_ONCE)
      throw new AppError('too_many_additions', say`Other modules are being added. Wait until one of them is.`)
  }

  async #begin(
    context: CatalogueContext,
    { source, caller, staging }: { source: AdditionSource | SentBundle; caller: Caller; staging?: Staging },
  ): Promise<ModuleAddition> {
    const addition_id = newId('addition')
    const now = Date.now()
    const row: ModuleAdditionTable = {
      addition_id,
      source: shownSource(source),
      state: 'running',
      step: source.kind === 'address' ? 'fetching' : source.kind === 'bundle' ? 'installing' : 'resolving',
      done: 0,
      total: 0,
      module: null,
      problem: null,
      started_at: now,
      seen_at: now,
    }
    const stop = new AbortController()
    const stored = insertAddition(context.db, row)
    const run = async (): Promise<void> => {
      await using _ = staging
      await stored
      await this.#run(context, { row, source, caller, stop })
    }
    const work = run()
    this.#running.set(addition_id, {
      stop,
      work: work.catch(() => undefined).finally(() => this.#running.delete(addition_id)),
    })
    // Whoever is told of it can ask for it, and cancel it.
    await stored
    return additionOf(row, caller.language)
  }

  async list({ language }: Caller): Promise<ModuleAddition[]> {
    return listAdditions((await this.#started()).db, language)
  }

  /** @throws {AppError} not_found */
  async cancel(addition_id: string, { language }: Caller): Promise<ModuleAddition> {
    const { db } = await this.#started()
    const row = await stopAddition(db, addition_id)
    if (row === null) throw new AppError('not_found', say`There is no such addition.`)
    const own = this.#running.get(addition_id)
    own?.stop.abort()
    await own?.work
    return additionOf((await stopAddition(db, addition_id)) ?? row, language)
  }

  async #run(
    context: CatalogueContext,
    {
      row,
      source,
      caller,
      stop,
    }: { row: ModuleAdditionTable; source: AdditionSource | SentBundle; caller: Caller; stop: AbortController },
  ): Promise<void> {
    const { db, log } = context
    const { addition_id } = row
    let at: Progress = row
    const timer = setInterval(() => {
      beat(db, addition_id, at).then(
        (goesOn) => goesOn || stop.abort(),
        (error: unknown) => log.warn({ err: error, addition_id }, 'the progress of an addition was not stored'),
      )
    }, BEAT)
    try {
      const module = await addFrom(context, source, {
        caller,
        signal: stop.signal,
        progress: (next) => void (at = next),
      })
      await beat(db, addition_id, at)
      await endAddition(db, addition_id, { state: 'done', module })
    } catch (error) {
      const problem = stop.signal.aborted ? null : problemOf(error)
      if (!stop.signal.aborted && problem === null) log.error({ err: error, addition_id }, 'a module was not added')
      const sentence =
        problem ?? (stop.signal.aborted ? null : say`Something went wrong on the server. The log says what.`)
      await endAddition(db, addition_id, {
        state: stop.signal.aborted ? 'cancelled' : 'failed',
        problem: sentence === null ? null : JSON.stringify(sentence.pack()),
      })
    } finally {
      clearInterval(timer)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#running.values()]
    for (const { stop } of all) stop.abort()
    await Promise.all(all.map(({ work }) => work))
  }
}

/** Gives the name of the module that was installed. */
async function addFrom(context: CatalogueContext, source: AdditionSource | SentBundle, steps: Steps): Promise<string> {
  const { caller, signal, progress } = steps
  await using staging = await context.trees.stage()
  const { folder } = staging
  const { file, name } =
    source.kind === 'bundle'
      ? source
      : source.kind === 'address'
        ? await fetchBundle(source, { folder, maxBytes: context.limits.packedBytes, signal })
        : await pack(context, source, { folder, ...steps })
  const allowDowngrade = source.kind === 'bundle' && source.allowDowngrade
  const install = async (from: string) => {
    signal.throwIfAborted()
    progress({ step: 'installing', done: 0, total: 0 })
    const upload = { fileName: encodeURIComponent(name), body: createReadStream(from), allowDowngrade, signal }
    return (await installBundle(context, upload, caller)).module
  }
  const module = await install(file).catch(async (error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'uv_bundle') throw error
    return install(await packSent(context, file, { folder, ...steps }))
  })
  const entered =
    source.kind === 'address' || source.kind === 'bundle' ? [] : source.variables.filter(({ value }) => value !== '')
  if (entered.length > 0) {
    const values = Object.fromEntries(entered.map((one) => [one.name, one.value]))
    await saveSettings(context, module.name, { values, clear_fields: [] }, caller)
  }
  return module.name
}

async function pack(
  { npm, pypi, sandbox }: CatalogueContext,
  { kind, name, range, program, args, variables }: Exclude<AdditionSource, { kind: 'address' }>,
  { folder, signal, progress }: Pick<Steps, 'signal' | 'progress'> & { readonly folder: string },
): Promise<{ file: string; name: string }> {
  const settings = Object.fromEntries(
    variables.map((one) => [one.name, { sensitive: one.sensitive, required: one.value === '' && one.sensitive }]),
  )
  const request = { name, range, program, args, settings }
  const named = ({ file, version }: { file: string; version: string }) => ({
    file,
    name: `${name.replace(/[^\w.@-]/g, '-')}-${version}.mcpb`,
  })
  if (kind === 'pypi') {
    if (pypi === null)
      throw new SourceError('source_unreachable', say`No index of Python packages is asked: REEVE_PYPI_INDEX is off.`)
    const { packPypi } = await import('../../source/pypi/pack-pypi.ts')
    const python = await sandbox.program('python3')
    return named(await packPypi(request, { index: pypi, python, folder, signal, progress }))
  }
  if (npm === null)
    throw new SourceError('source_unreachable', say`No registry of packages is asked: REEVE_NPM_REGISTRY is off.`)
  const { packNpm } = await import('../../source/npm/pack-npm.ts')
  return named(await packNpm(request, { registry: npm, folder, signal, progress }))
}

function problemOf(error: unknown): Sentence | null {
  return error instanceof AppError || error instanceof SourceError ? error.detail : null
}

function shownSource(source: AdditionSource | SentBundle): string {
  if (source.kind === 'address') return addressWithoutQuery(source.url)
  return source.kind === 'bundle' ? source.name : `${source.name}@${source.range ?? 'latest'}`
}

/** A query may hold a key. */
function addressWithoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
