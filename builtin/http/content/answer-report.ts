import { cut } from '../../../server/kernel/text/plain-text.ts'
import type { Report } from '../../tool.ts'
import type { HttpSettings } from '../http-settings.ts'
import type { HttpAnswer } from '../request/send-request.ts'
import { decodeBody } from './decode-body.ts'
import { fileLabel } from './file-label.ts'
import { htmlText } from './html-text.ts'
import { jsonTable } from './json-table.ts'

const TEXT_LIMIT = 40_000
/** Converting a page blocks everything else: about 0.1 s per million characters. */
const HTML_LIMIT = 2_000_000
const MASK_FROM = 4

export type BodyAs = 'auto' | 'source' | 'file'

/**
 * Reports an HTTP response: its redirects, its headers, and its content as text, table or file. Secrets of the settings
 * are masked.
 */
export function answerReport(answer: HttpAnswer, as: BodyAs, settings: HttpSettings): Report {
  const mask = masker(settings)
  const { status, statusText, hops, url, bytes, first_ms, total_ms } = answer
  const type = answer.headers.get('content-type') ?? ''
  const lines = [
    `${status}${statusText === '' ? '' : ` ${statusText}`} from ${url.href}`,
    hops.length > 1 ? `Led there by: ${hops.map((hop) => `${hop.url} (${hop.status})`).join(' → ')}` : '',
    `${bytes.byteLength} bytes, ${type === '' ? 'type not given' : `type ${type}`}; began after ${first_ms} ms, complete after ${total_ms} ms.`,
  ].filter((line) => line !== '')
  const content = contentOf(answer, type, as)
  return {
    text: mask([...lines, ...(content.text === '' ? [] : ['', content.text])].join('\n')),
    tables: [...(content.tables ?? []).map((table) => masked(table, mask)), headerTable(answer.headers, mask)],
    ...(content.files === undefined ? {} : { files: content.files }),
  }
}

function contentOf({ bytes, url, headers }: HttpAnswer, type: string, as: BodyAs): Report {
  if (bytes.byteLength === 0) return { text: '' }
  const mediaType = type.split(';')[0]?.trim().toLowerCase() ?? ''
  const html = /^(text\/html|application\/xhtml\+xml)$/.test(mediaType)
  const json = /^application\/json$|\+json$/.test(mediaType)
  const text = html || json || isText(mediaType)
  if (as === 'file' || !text) {
    const name = fileLabel(url, headers.get('content-disposition'), mediaType)
    const media_type = /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) ? mediaType : 'application/octet-stream'
    return { text: `Kept as the file ${JSON.stringify(name)}.`, files: [{ name, media_type, data: bytes }] }
  }
  const source = decodeBody(bytes, type).text
  if (as === 'source') return { text: bounded(source) }
  if (html) {
    const page = htmlText(source.slice(0, HTML_LIMIT), url)
    const title = page.title === '' ? '' : `Title: ${page.title}\n\n`
    return { text: bounded(title + (page.text === '' ? 'The page has no text of its own.' : page.text)) }
  }
  if (!json) return { text: bounded(source) }
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch {
    return { text: `The type says JSON, but the content is not valid JSON.\n${bounded(source)}` }
  }
  const table = jsonTable(value)
  // The table has the content; an excerpt of the text shows what its rows look like.
  return {
    text: bounded(JSON.stringify(value, null, 2), table === null ? TEXT_LIMIT : 2000),
    ...(table === null ? {} : { tables: [table] }),
  }
}

function isText(mediaType: string): boolean {
  if (mediaType === 'image/svg+xml') return false
  return /^text\/|[/+](xml|yaml|toml)$|^application\/(x-)?(javascript|ecmascript|yaml|toml|sql|x-sh|ndjson|x-ndjson|graphql|x-www-form-urlencoded)$/.test(
    mediaType,
  )
}

function bounded(text: string, limit = TEXT_LIMIT): string {
  if (text.length <= limit) return text
  return `${cut(text, limit)}\n[Cut here: ${text.length} characters in all. as=file keeps the whole answer.]`
}

function headerTable(headers: Headers, mask: (text: string) => string) {
  const rows = [...headers].map(([name, value]) => ({
    name,
    // A cookie's value is the key to a session.
    value: name === 'set-cookie' ? value.replace(/=.*$/s, '=…') : cut(mask(value), 1000),
  }))
  return {
    title: 'Answer headers',
    columns: [
      { key: 'name', label: 'Header', type: 'text' as const },
      { key: 'value', label: 'Value', type: 'text' as const },
    ],
    rows,
  }
}

/** A service that echoes the request must not reveal a secret header to the model. */
function masker(settings: HttpSettings): (text: string) => string {
  const secrets = settings.hostHeaders
    .flatMap(({ value }) => [value, ...value.split(/\s+/).slice(1)])
    .filter((value) => value.length >= MASK_FROM)
    .sort((a, b) => b.length - a.length)
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, '[secret]'), text)
}

function masked(table: NonNullable<Report['tables']>[number], mask: (text: string) => string) {
  const rows = table.rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [key, typeof value === 'string' ? mask(value) : value]),
    ),
  )
  return { ...table, rows }
}
