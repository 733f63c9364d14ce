import { lstat, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readKeyPair } from '../../certificates/key-pair.ts'
import type { Config } from '../../app/config.ts'
import { findLeftovers } from '../../operation/leftovers.ts'
import { attempt, type Check, fail, ok, warn } from './check.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** Files whose owner is checked; the first with another owner is enough. */
const LOOKED_AT = 5000

/** Checks what was placed or left by hand: program, `.env`, owners, leftovers, certificates, proxy. */
export function installationChecks(config: Config, root = ROOT): Promise<Check[]> {
  return Promise.all([
    attempt('pages', 'Run node scripts/build.mjs.', () => pages(root)),
    attempt('.env', 'Check .env manually.', () => settingsFile(root)),
    attempt('owners', 'Check the data folder manually.', () => owners(config.dataFolder)),
    attempt('leftovers', 'Check the data folder manually.', () => leftovers(config.dataFolder)),
    attempt('key pair', 'Check the files of REEVE_TLS_CERT and REEVE_TLS_KEY.', () => keyPair(config)),
    Promise.resolve(proxy(config)),
  ])
}

async function pages(root: string): Promise<Check> {
  const built = await stat(join(root, 'dist/web/index.html')).catch(() => null)
  return built === null
    ? fail(
        'pages',
        'The pages are not built: dist/web is missing.',
        'Run node scripts/build.mjs, or start with npm start.',
      )
    : ok('pages', 'The pages are built.')
}

/** It may contain passwords, and anyone who can write it controls the service. */
async function settingsFile(root: string): Promise<Check> {
  const file = join(root, '.env')
  const found = await stat(file).catch(() => null)
  if (found === null) return ok('.env', 'There is none: settings come from the environment.')
  if ((found.mode & 0o022) !== 0)
    return fail('.env', 'Other accounts on this machine can change .env.', `chmod go-w ${file}`)
  // The package makes root its owner, and the service's group reads it.
  return (found.mode & 0o004) === 0
    ? ok('.env', 'Only its owner and its group have access.')
    : warn('.env', 'Other accounts on this machine can read .env.', `chmod o-r ${file}`)
}

/** A command run as root leaves files the service cannot write. */
async function owners(dataFolder: string): Promise<Check> {
  const owner = (await stat(dataFolder).catch(() => null))?.uid
  if (owner === undefined) return ok('owners', 'There is no data folder yet.')
  let looked = 0
  const waiting = [dataFolder]
  for (let folder = waiting.pop(); folder !== undefined && looked < LOOKED_AT; folder = waiting.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name)
      const found = await lstat(path).catch(() => null)
      looked++
      if (found !== null && found.uid !== owner)
        return fail(
          'owners',
          `${path} belongs to another account (number ${found.uid}) than the data folder (${owner}).`,
          `chown -R ${owner} ${dataFolder}, and run reeve as the account of the service.`,
        )
      if (entry.isDirectory()) waiting.push(path)
    }
  }
  return ok('owners', 'Everything in the data folder belongs to its owner.')
}

async function leftovers(dataFolder: string): Promise<Check> {
  const names = await readdir(dataFolder).catch(() => [])
  const before = names.filter((name) => name.startsWith('before-restore-'))
  const killed = await findLeftovers(dataFolder, { alone: true })
  if (killed.length > 0)
    return warn(
      'leftovers',
      `A killed process left ${killed.slice(0, 3).join(', ')}.`,
      'Start the service: it removes them.',
    )
  return before.length === 0
    ? ok('leftovers', 'There are no leftovers.')
    : warn(
        'leftovers',
        `The content from before a restore is still in ${before.slice(0, 3).join(', ')}.`,
        'Remove it once everything works: it takes as much space as the installation.',
      )
}

async function keyPair({ tls, dataFolder }: Config): Promise<Check> {
  if (tls.mode === 'off') return ok('key pair', 'TLS is off.')
  if (tls.mode === 'files') {
    const [key, cert] = await Promise.all([readFile(tls.key, 'utf8'), readFile(tls.cert, 'utf8')])
    readKeyPair(key, cert)
    return ok('key pair', 'Certificate and key belong together.')
  }
  const folder = join(dataFolder, 'certificates')
  for (const name of (await readdir(folder).catch(() => [])).filter((each) => each.endsWith('.pem'))) {
    const text = await readFile(join(folder, name), 'utf8')
    if (text.includes('PRIVATE KEY') && text.includes('BEGIN CERTIFICATE')) readKeyPair(text, text)
  }
  return ok('key pair', 'Certificates and keys belong together.')
}

/** Users come by HTTPS, so there is a proxy in front of the service, and to it all of them appear to be that proxy. */
function proxy({ publicUrl, tls, trustProxy }: Config): Check {
  return publicUrl?.startsWith('https:') === true && tls.mode === 'off' && trustProxy === false
    ? warn(
        'proxy',
        'REEVE_PUBLIC_URL begins with https and TLS is off here, so there is a proxy in front of the service; REEVE_TRUST_PROXY does not name it.',
        'Set REEVE_TRUST_PROXY to its address: otherwise limits per address count everyone as one.',
      )
    : ok('proxy', 'The proxy settings are consistent.')
}
