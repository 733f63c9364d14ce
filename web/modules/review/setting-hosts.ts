import type { SettingField } from '../../../contract/modules.ts'

const NAMES_HOST = /host|url|uri|endpoint|address|server|domain|connection|dsn/i

/** How a grant names the host in a setting, whatever that is set to. */
export function hostOf(key: string): string {
  return `\${user_config.${key}}`
}

/** Whether a setting looks as if it named a host: by its name, or because its default is an address. */
export function mayNameHost({ key, type, title, default: fallback }: SettingField): boolean {
  return type === 'string' && (NAMES_HOST.test(`${key} ${title}`) || /^[a-z+]+:\/\//i.test(String(fallback ?? '')))
}

export function withLine(text: string, line: string): string {
  return [...text.split('\n').filter((each) => each.trim() !== ''), line].join('\n')
}

/** A granted host in words: one that a setting names by the setting. */
export function hostInWords(host: string, words: (key: string) => string): string {
  return host.replace(/\$\{user_config\.([^}]+)\}/g, (_, key: string) => words(key))
}
