import { X509Certificate } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openAudit } from '../../accounts/audit/audit.ts'
import { Engines } from '../../ai/engines.ts'
import type { KnownEngine } from '../../ai/known-engine.ts'
import { listModels } from '../../ai/list-models.ts'
import type { Config } from '../../app/config.ts'
import type { Vault } from '../../kernel/vault.ts'
import { WrongKey } from '../../operation/key-check.ts'
import type { Place } from '../open-place.ts'
import { placeVault } from '../place-vault.ts'
import { openStores, storeFolders } from '../open-place.ts'
import { attempt, type Check, fail, ok, warn } from './check.ts'

const DAY = 24 * 3_600_000
const SOON_DAYS = 21
const ENGINE_MS = 10_000

/** Whether the key matches the database; then the engine and the bucket: what the service needs from others. */
export async function outsideChecks(place: Place): Promise<Check[]> {
  const { config } = place
  const vault = await placeVault(place).catch((error: unknown) => error as Error)
  const fits =
    vault instanceof Error
      ? fail(
          'key',
          vault.message,
          vault instanceof WrongKey ? 'Keep a copy of the key apart from the service.' : 'Start the service once.',
        )
      : ok('key', 'The secret key is the one this installation uses.')
  const others = await Promise.all(
    config.filesAddress === null ? [] : [attempt('files', 'Set REEVE_FILES_URL and its keys.', () => bucket(config))],
  )
  return [fits, ...(vault instanceof Error ? [] : await engines(place, vault)), ...others]
}

async function engines({ config, db }: Place, vault: Vault): Promise<Check[]> {
  using engines = await Engines.open({
    db,
    vault,
    environment: config.ai,
    titles: config.titles,
    audit: openAudit(db, Date.now),
    onError: () => undefined,
  })
  if (engines.all.length === 0) return [ok('engine', 'None is set: the service works in direct mode.')]
  const fix = 'Set it under /admin/ai, and test it there.'
  return Promise.all(engines.all.map((one) => attempt('engine', fix, () => engine(one, engines.all.length > 1))))
}

async function engine(engine: KnownEngine, oneOfMany: boolean): Promise<Check> {
  const models = await listModels(engine, AbortSignal.timeout(ENGINE_MS))
  const it = oneOfMany ? engine.name : 'It'
  return models.some(({ id }) => id === engine.model)
    ? ok('engine', `${it} answers, and has ${engine.model}.`)
    : warn('engine', `${it} answers, and does not list ${engine.model}.`, 'Choose a model under /admin/ai.')
}

async function bucket(config: Config): Promise<Check> {
  const { files } = await openStores(config, storeFolders(config.dataFolder))
  await files.list(null)
  return ok('files', 'The bucket answers.')
}

/** How long the certificate remains valid. */
export async function certificateCheck({ tls, dataFolder }: Config): Promise<Check> {
  if (tls.mode === 'off')
    return ok('certificate', 'TLS is off: there is a TLS proxy in front of it, or only this machine reaches it.')
  const fix =
    tls.mode === 'files'
      ? 'Renew the file of REEVE_TLS_CERT.'
      : 'Start the service: it renews the certificate automatically.'
  return attempt('certificate', fix, async () => {
    const files = tls.mode === 'files' ? [tls.cert] : await inFolder(join(dataFolder, 'certificates'))
    const ends: number[] = []
    for (const file of files) {
      const text = await readFile(file, 'utf8')
      if (text.includes('BEGIN CERTIFICATE')) ends.push(new X509Certificate(text).validToDate.getTime())
    }
    if (ends.length === 0) return warn('certificate', 'There is none yet.', 'The first start of the service makes one.')
    const first = Math.min(...ends)
    const days = Math.floor((first - Date.now()) / DAY)
    const message = `It is valid until ${new Date(first).toISOString()}.`
    if (days < 0) return fail('certificate', message, fix)
    return tls.mode === 'files' && days < SOON_DAYS ? warn('certificate', message, fix) : ok('certificate', message)
  })
}

async function inFolder(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.map((name) => join(folder, name))
}
