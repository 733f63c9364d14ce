import type {
  RegistryArgument,
  RegistryServer,
  RegistrySetting,
  RegistryWay,
} from '../../../../contract/module-registry.ts'
import { say, type Sentence } from '../../../kernel/sentence.ts'
import { visible } from '../../../kernel/text/plain-text.ts'
import { shownText } from '../../bundle/manifest/shown-text.ts'
import { packageName } from '../npm/resolve-tree.ts'
import type { ListedServer, RegistryInput, RegistryPackage, RegistryRemote } from './read-servers.ts'

const PYTHON_NAME = /^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$/

/** Which registries of packages may be asked here. */
export interface Possible {
  readonly npm: boolean
  readonly pypi: boolean
}

/**
 * A server of a registry as it is shown: how it can be added here, and why not otherwise. Everything that the registry
 * says was written by strangers, so what is read is escaped, and what is to be passed on is taken only if it hides nothing.
 */
export function describeServer(server: ListedServer, possible: Possible, language: string): RegistryServer {
  const ways: RegistryWay[] = []
  const impossible: { what: string; why: string }[] = []
  const sort = (what: string, found: RegistryWay | Sentence): void => {
    if ('kind' in found) ways.push(found)
    else impossible.push({ what: shownText(what, 290), why: found.in(language) })
  }
  for (const one of server.packages.slice(0, 20))
    sort(`${one.registryType}: ${one.identifier}`, packageWay(one, possible))
  for (const one of server.remotes.slice(0, 20)) sort(one.url, remoteWay(one))
  return {
    name: line(server.name),
    title: line(server.title ?? server.name),
    description: words(server.description),
    version: line(server.version ?? ''),
    repository: httpsAddress(server.repository.url, 500),
    website: httpsAddress(server.websiteUrl, 500),
    deprecated: server.deprecated,
    ways,
    impossible,
  }
}

function packageWay(one: RegistryPackage, possible: Possible): RegistryWay | Sentence {
  const { registryType, identifier, version, fileSha256 } = one
  if (registryType === 'oci') return say`It is an image for containers.`
  if (registryType !== 'npm' && registryType !== 'mcpb' && registryType !== 'pypi')
    return say`Packages of this kind cannot be added.`
  if ((one.transport.type ?? 'stdio') !== 'stdio')
    return say`Once started it waits for connections, and modules are spoken to by standard input.`
  if (registryType === 'mcpb') {
    const url = httpsAddress(identifier, 2000)
    if (url === null) return say`The address of its bundle is not usable.`
    if (fileSha256 === undefined || !/^[0-9a-f]{64}$/i.test(fileSha256))
      return say`It has no digest that its bundle could be compared with.`
    return { kind: 'mcpb', url, sha256: fileSha256.toLowerCase() }
  }
  if (registryType === 'npm' && !possible.npm) return say`No registry of packages is asked: REEVE_NPM_REGISTRY is off.`
  if (registryType === 'pypi' && !possible.pypi)
    return say`No index of Python packages is asked: REEVE_PYPI_INDEX is off.`
  const named = registryType === 'npm' ? packageName(identifier) : PYTHON_NAME.test(identifier)
  if (!named || identifier.length > 200 || (version !== undefined && !/^[\w.+!-]{1,100}$/.test(version)))
    return say`Its name or version is not one of a package.`
  if (one.packageArguments.some((each) => each.isRequired && holdsSecret(each)))
    return say`It needs a secret on its command line, where every program can read it.`
  const settings = settingsOf(one.environmentVariables, /^[A-Za-z_][A-Za-z0-9_]{0,99}$/)
  const args = argumentsOf(one.packageArguments)
  if (settings === null || args === null) return say`It wants variables or arguments that cannot be passed on.`
  return { kind: registryType, name: identifier, version: version ?? null, settings, arguments: args }
}

function remoteWay(one: RegistryRemote): RegistryWay | Sentence {
  if (one.type !== 'streamable-http' && one.type !== 'sse') return say`Servers of this kind cannot be connected to.`
  const filled = fill(one.url, one.variables)
  if (/[{}]/.test(filled)) return say`Its address has parts that only you know. Add it by its address.`
  const url = address(filled, 2000, ['https:', 'http:'])
  const settings = settingsOf(one.headers, /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/)
  if (url === null || settings === null) return say`Its address or its headers are not usable.`
  return { kind: 'remote', url, settings }
}

/** Null where one that is needed cannot be passed on. */
function settingsOf(inputs: readonly RegistryInput[], pattern: RegExp): RegistrySetting[] | null {
  const settings = new Map<string, RegistrySetting>()
  for (const one of inputs) {
    const { name = '', isRequired } = one
    const isSecret = holdsSecret(one)
    if (!pattern.test(name)) {
      if (isRequired) return null
      continue
    }
    const { value } = proposed(one)
    settings.set(name, {
      name,
      description: words(one.description),
      required: isRequired,
      secret: isSecret,
      default: isSecret ? null : value,
      choices: one.choices.filter(plain),
    })
  }
  return [...settings.values()]
}

function argumentsOf(inputs: readonly RegistryInput[]): RegistryArgument[] | null {
  const found: RegistryArgument[] = []
  for (const one of inputs) {
    const flag = one.type === 'named' ? (one.name ?? '') : null
    if (flag !== null && !/^[\w./:=+-]{1,100}$/.test(flag)) {
      if (one.isRequired) return null
      continue
    }
    const { value, fixed } = proposed(one)
    const isSecret = holdsSecret(one)
    found.push({
      flag,
      value: isSecret ? null : value,
      fixed: fixed && !isSecret,
      hint: line(one.valueHint ?? one.name ?? ''),
      description: words(one.description),
      required: one.isRequired,
      secret: isSecret,
      choices: one.choices.filter(plain),
      repeated: one.isRepeated,
    })
  }
  return found
}

/** What is written down, with what stands for its parts in braces; what has other parts is only a proposal. */
function proposed(one: RegistryInput): { readonly value: string | null; readonly fixed: boolean } {
  if (one.value === undefined)
    return { value: one.default !== undefined && plain(one.default) ? one.default : null, fixed: false }
  const value = fill(one.value, one.variables)
  return { value: plain(value) ? value : null, fixed: plain(value) && !/\{\w+\}/.test(value) }
}

/** A secret by itself, or because a part of it is one. */
function holdsSecret({ isSecret, value = '', variables }: RegistryInput): boolean {
  return isSecret || Object.entries(variables).some(([name, one]) => one.isSecret && value.includes(`{${name}}`))
}

/** What is longer than this is none that could be passed on: it stays as it is, and so does what it would make longer. */
const FILLED = 1000

function fill(template: string, variables: RegistryInput['variables']): string {
  if (template.length > FILLED) return template
  let length = template.length
  return template.replace(/\{([^{}]{1,100})\}/g, (whole, name: string) => {
    const found = Object.hasOwn(variables, name) ? variables[name] : undefined
    const value = found === undefined || found.isSecret ? undefined : (found.value ?? found.default)
    if (value === undefined || (length += value.length) > FILLED) return whole
    return value
  })
}

/** Whether a text is what it looks like, and can be passed on. */
function plain(text: string): boolean {
  return text.length <= 1000 && text.isWellFormed() && !/[\n\t]/.test(text) && visible(text) === text
}

function line(text: string): string {
  return shownText(text, 199)
}

function words(text = ''): string {
  return shownText(text, 999)
}

function httpsAddress(text: string | undefined, max: number): string | null {
  return text === undefined ? null : address(text, max, ['https:'])
}

function address(text: string, max: number, protocols: readonly string[]): string | null {
  if (!plain(text) || !URL.canParse(text)) return null
  const { protocol, username, password, href } = new URL(text)
  return protocols.includes(protocol) && username === '' && password === '' && href.length <= max ? href : null
}
