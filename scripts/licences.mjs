/**
 * Lists the licences of all libraries in the product, for the page /help/about.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './run.mjs'

const LICENCE_FILE = /^(licen[cs]e|copying|unlicense)([-.].*)?$/i

function licenceTextIn(folder) {
  const names = readdirSync(folder)
    .filter((name) => LICENCE_FILE.test(name))
    .sort()
  const texts = names.map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim())
  return texts.length === 0 ? null : texts.join('\n\n')
}

/** `git+https://host/owner/name.git`, `owner/name` or `{url}` as an address that a browser can open, or null. */
function addressOf({ homepage, repository }) {
  const given = (typeof repository === 'string' ? repository : repository?.url) ?? homepage ?? ''
  if (/^[\w.-]+\/[\w.-]+$/.test(given)) return `https://github.com/${given}`
  const address = given
    .replace(/^github:/, 'https://github.com/')
    .replace(/^git\+/, '')
    .replace(/^(git|ssh):\/\/(git@)?/, 'https://')
    .replace(/^git@([^:]+):/, 'https://$1/')
    .replace(/\.git$/, '')
  return /^https?:\/\//.test(address) ? address : null
}

/**
 * `{packages: [{name, version, licence, link, text}], texts}`: the packages of the lock file for production that are
 * present on this machine, by name; `text` is an index into `texts`, or null when the package contains none. Throws
 * when one names no licence.
 */
export function readLicences() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const texts = []
  const found = new Map()
  for (const [path, { dev, devOptional, version }] of Object.entries(packages)) {
    const folder = join(ROOT, path)
    if (path === '' || dev || devOptional || !existsSync(join(folder, 'package.json'))) continue
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    // Older packages have a list; any one of them may be chosen.
    const licence =
      manifest.license?.type ?? manifest.license ?? manifest.licenses?.map(({ type }) => type).join(' OR ')
    if (typeof licence !== 'string' || licence === '') throw new Error(`${name} ${version} names no licence.`)
    const text = licenceTextIn(folder)
    let at = text === null ? null : texts.indexOf(text)
    if (at === -1) at = texts.push(text) - 1
    found.set(`${name}@${version}`, { name, version, licence, link: addressOf(manifest), text: at })
  }
  const byName = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1)
  return { packages: [...found.values()].sort(byName), texts }
}
