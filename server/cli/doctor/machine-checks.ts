import { stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import process from 'node:process'
import type { Config } from '../../app/config.ts'
import { toldIsolation } from '../../app/tell-isolation.ts'
import { openLog } from '../../kernel/log.ts'
import { openSandbox } from '../../modules/process/sandbox.ts'
import { attempt, type Check, fail, ok, warn } from './check.ts'

const GIB = 1024 ** 3
const LIVE_MS = 3000

/** Node, disk, folders, port and isolation: what the machine provides. */
export function machineChecks(config: Config, url: string): Promise<Check[]> {
  return Promise.all([
    nodeVersion(),
    attempt('disk', 'Check the data folder manually.', () => freeDisk(config.dataFolder)),
    attempt('data folder', 'Check the data folder manually.', () => folderRights(config.dataFolder)),
    attempt('secret key', 'Check secret.key manually.', () => keyRights(config)),
    attempt('service', 'Choose another REEVE_PORT.', () => portOrService(config, url)),
    attempt('isolation', 'Install bubblewrap (Debian: apt install bubblewrap).', () => isolation(config.dataFolder)),
  ])
}

async function nodeVersion(): Promise<Check> {
  const { node } = process.versions
  const major = Number(node.split('.')[0])
  return major >= 24 && major < 27
    ? ok('node', `Node ${node}.`)
    : warn('node', `Reeve is not tested with Node ${node}.`, 'Start with scripts/reeve.mjs, which fetches Node 24.')
}

async function freeDisk(folder: string): Promise<Check> {
  const { bavail, bsize } = await statfs(await existing(folder))
  const gib = (bavail * bsize) / GIB
  const message = `${gib.toFixed(1)} GiB are free for the data folder.`
  const fix = 'Free some space: use reeve backup --keep, delete files permanently, or move REEVE_DATA_DIR.'
  return gib < 0.5 ? fail('disk', message, fix) : gib < 5 ? warn('disk', message, fix) : ok('disk', message)
}

async function folderRights(folder: string): Promise<Check> {
  const found = await stat(folder).catch(() => null)
  if (found === null)
    return warn('data folder', `${folder} does not exist yet.`, 'Start the service once, or set REEVE_DATA_DIR.')
  if (process.getuid !== undefined && found.uid !== process.getuid())
    return warn('data folder', `${folder} belongs to another account.`, 'Run reeve as the account of the service.')
  return (found.mode & 0o077) === 0
    ? ok('data folder', `${folder} is not accessible to other accounts.`)
    : warn('data folder', `Other accounts on this machine can look into ${folder}.`, `chmod 700 ${folder}`)
}

async function keyRights({ dataFolder, secretKey }: Config): Promise<Check> {
  if (secretKey !== null) return ok('secret key', 'It comes from the settings.')
  const file = join(dataFolder, 'secret.key')
  const found = await stat(file).catch(() => null)
  if (found === null) return warn('secret key', 'There is none yet.', 'The first start of the service makes one.')
  return (found.mode & 0o077) === 0
    ? ok('secret key', 'It is in the data folder, readable only by its owner.')
    : fail('secret key', 'Other accounts on this machine can read secret.key.', `chmod 600 ${file}`)
}

async function portOrService({ host, port }: Config, url: string): Promise<Check> {
  if (port === 0) return ok('service', 'It uses any free port.')
  if (await isFree(host, port)) return ok('service', `It is not running; the port ${port} is free.`)
  const scheme = new URL(url).protocol === 'https:' ? 'https' : 'http'
  const local = `${scheme}://${host.includes(':') ? `[${host}]` : host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`
  // This process does not trust its local certificate authority; it is enough that something answers.
  if (scheme === 'https') return ok('service', `Something listens on ${local}.`)
  const answer = await fetch(`${local}/readyz`, { signal: AbortSignal.timeout(LIVE_MS) }).catch(() => null)
  if (answer?.ok) return ok('service', `It is running on ${local}, and ready.`)
  if (answer?.status === 503)
    return fail('service', `It is running on ${local}, and not ready.`, 'Look at the database below, and at the log.')
  return fail('service', `Another program is listening on ${host}:${port}.`, 'Choose another REEVE_PORT.')
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}

/**
 * What works in this shell, and what the service found at its last start, because its unit may forbid what the shell
 * may do.
 */
async function isolation(dataFolder: string): Promise<Check> {
  await using sandbox = await openSandbox({ log: openLog('silent'), node: process.execPath, hidden: [dataFolder] })
  await sandbox.ready()
  const best = sandbox.levels[0]
  if (best === undefined) return fail('isolation', 'Modules cannot be isolated here.', 'Install bubblewrap.')
  if (best.level !== 'isolated')
    return warn(
      'isolation',
      `Modules run ${best.level}, and foreign files are read without a sandbox. ${best.reason.toString()}`,
      'Install bubblewrap (Debian: apt install bubblewrap).',
    )
  const service = await toldIsolation(dataFolder)
  return service === null || service.level === 'isolated'
    ? ok('isolation', `Modules run isolated, and foreign files are read in a sandbox. ${best.reason.toString()}`)
    : warn(
        'isolation',
        `In this shell modules would run isolated, but in the service, when it started at ${service.at}, ${service.level ?? 'not at all'}. ${service.reason}`,
        'Restart the service; if this persists, compare its unit with packaging/reeve.service, which names the options that forbid bubblewrap.',
      )
}

/** The folder itself, or its nearest existing parent. */
async function existing(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => null)
  return found !== null || dirname(folder) === folder ? folder : existing(dirname(folder))
}
