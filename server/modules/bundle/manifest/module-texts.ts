import { cut, visible } from '../../../kernel/text/plain-text.ts'
import { AS_WRITTEN, type Wording } from '../../../kernel/wording.ts'
import type { Manifest } from './manifest.ts'

/**
 * The texts of a manifest, safe to display: bounded in length, invisible characters made visible, http(s) addresses
 * only.
 */
export interface ModuleTexts {
  readonly display_name: string
  readonly description: string
  /** Markdown. */
  readonly long_description: string
  readonly author: string
  readonly license: string | null
  readonly homepage: string | null
  readonly documentation: string | null
}

/** `wording` translates what is text; names of people, licences and addresses stay. */
export function moduleTexts(manifest: Manifest, { text: translated }: Wording = AS_WRITTEN): ModuleTexts {
  const line = (text: string, max: number): string => cut(visible(text.replace(/[\r\n\t]+/g, ' ').trim()), max)
  const display = line(translated(manifest.display_name ?? ''), 80)
  return {
    display_name: display === '' ? line(manifest.name, 80) : display,
    description: line(translated(manifest.description), 1000),
    long_description: cut(visible(translated(manifest.long_description ?? '').replaceAll('\r\n', '\n')), 50_000),
    author: line(manifest.author.name, 200),
    license: manifest.license === undefined ? null : line(manifest.license, 100),
    homepage: httpAddress(manifest.homepage),
    documentation: httpAddress(manifest.documentation),
  }
}

/** The address if a page may link to it, otherwise null. */
export function httpAddress(text: string | undefined): string | null {
  if (text === undefined || text.length > 2000 || !URL.canParse(text)) return null
  const url = new URL(text)
  return (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' ? url.href : null
}
