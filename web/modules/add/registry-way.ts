import type { RegistryArgument, RegistryServer, RegistryWay } from '../../../contract/module-registry.ts'
import { isPlaceholder, looksSecret, remote, type Understood } from './understand.ts'

/** One of the ways in which a registry's server can be added, as if an administrator had named it. */
export function understoodWay({ title }: Pick<RegistryServer, 'title'>, way: RegistryWay): Understood {
  switch (way.kind) {
    case 'npm':
    case 'pypi':
      return {
        kind: way.kind,
        name: way.name,
        range: way.version,
        program: null,
        args: way.arguments.flatMap(argumentLines),
        variables: way.settings.map(({ name, description, secret, default: value, choices }) => ({
          name,
          value: value === null || isPlaceholder(value) ? '' : value,
          sensitive: secret || looksSecret(name),
          ...(description !== '' && { hint: description }),
          ...(choices.length > 0 && { choices }),
        })),
      }
    case 'mcpb':
      return { kind: 'address', url: way.url, sha256: way.sha256 }
    case 'remote': {
      // A secret is entered as the token, or signing in gives it.
      const headers = way.settings.filter(
        ({ name, required, default: value }) => (required && !/^authorization$/i.test(name)) || value !== null,
      )
      return remote(title, way.url, Object.fromEntries(headers.map((one) => [one.name, one.default ?? ''])))
    }
  }
}

/** What is needed and only the administrator knows stands in angle brackets, to be replaced. */
function argumentLines({ flag, value, hint, required }: RegistryArgument): string[] {
  if (value === null && !required) return []
  const given = value ?? (flag !== null && hint === flag ? null : `<${hint}>`)
  return [flag, given].filter((line) => line !== null)
}

/** How a way is told from the others of its server. */
export function wayLabel(way: RegistryWay): string {
  if (way.kind === 'mcpb' || way.kind === 'remote') return new URL(way.url).host
  return `${way.kind}: ${way.name}`
}

/** What stands in the field once a way was chosen. */
export function wayText(way: RegistryWay): string {
  if (way.kind === 'mcpb' || way.kind === 'remote') return way.url
  const text = way.version === null ? way.name : `${way.name}@${way.version}`
  return way.kind === 'npm' ? text : `${way.kind}:${text}`
}
