import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/client'
import { RESULT_FILE_BYTES, RESULT_FILE_LIMIT, type ToolFile } from '../../chat/ports/tools.ts'
import { cut, visible } from '../../kernel/text/plain-text.ts'

type Block = CallToolResult['content'][number]
type Content = ReadResourceResult['contents'][number]

const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/
const EXTENSIONS: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/ogg': 'ogg',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/zip': 'zip',
  'text/plain': 'txt',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/markdown': 'md',
}

/** The files of a result, and for each block a line about what became of it. */
export interface ResultFiles {
  readonly files: readonly ToolFile[]
  readonly lines: ReadonlyMap<Block, string>
}

/**
 * Extracts pictures, audio and embedded files from a result, and fetches resources it links to on its own server
 * through `read`; a link to an address of the web is for people to open, and never fetched. Bounded in number and bytes:
 * a line reports what does not fit or cannot be read.
 */
export async function resultFiles(
  result: CallToolResult,
  read: (uri: string) => Promise<readonly Content[]>,
): Promise<ResultFiles> {
  const kept = new KeptFiles()
  const lines = new Map<Block, string>()

  for (const block of result.content) {
    if (block.type === 'image' || block.type === 'audio') {
      lines.set(block, kept.add(fileName(block.type, block.mimeType), block.mimeType, ...decoded(block.data)))
    } else if (block.type === 'resource' && 'blob' in block.resource) {
      lines.set(block, kept.addContent(block.resource, undefined))
    } else if (block.type === 'resource_link' && !/^https?:/i.test(block.uri)) {
      lines.set(block, await linked(block))
    }
  }
  return { files: kept.files, lines }

  async function linked(block: Extract<Block, { type: 'resource_link' }>): Promise<string> {
    const label = visible(cut(block.title ?? block.name, 120))
    if (kept.full || (block.size ?? 0) > RESULT_FILE_BYTES)
      return `[${label}: left out, the result has too many or too large files]`
    try {
      const contents = await read(block.uri)
      if (contents.length === 0) return `[${label}: it is empty]`
      return kept.addAll(contents, block.name).join('\n')
    } catch {
      return `[${label}: it could not be read from the module]`
    }
  }
}

/** The files of a resource that a person reads, within the same bounds. */
export function contentFiles(contents: readonly Content[], name: string): readonly ToolFile[] {
  const kept = new KeptFiles()
  kept.addAll(contents, name)
  return kept.files
}

/** Bounded in number and bytes together. Each addition answers with a line about what became of it. */
class KeptFiles {
  readonly files: ToolFile[] = []
  #bytes = 0

  get full(): boolean {
    return this.files.length >= RESULT_FILE_LIMIT || this.#bytes > RESULT_FILE_BYTES
  }

  add(name: string, mediaType: string | undefined, data: () => Uint8Array, size: number): string {
    if (this.files.length >= RESULT_FILE_LIMIT) return `[${name}: left out, the result has too many files]`
    this.#bytes += size
    if (this.#bytes > RESULT_FILE_BYTES) return `[${name}: left out, the files of the result are too large together]`
    const file = { name: unused(name, this.files), media_type: typeOf(mediaType), data: data() }
    this.files.push(file)
    return `[file ${file.name}, ${file.media_type}: shown to the person]`
  }

  addContent(content: Content, name: string | undefined): string {
    const label = fileName(name ?? nameOf(content.uri), content.mimeType)
    if ('blob' in content) return this.add(label, content.mimeType, ...decoded(content.blob))
    const data = Buffer.from(content.text)
    return this.add(label, content.mimeType ?? 'text/plain', () => data, data.length)
  }

  /** Of what one address holds: by that name where it is one thing. */
  addAll(contents: readonly Content[], name: string): string[] {
    return contents.map((content) => this.addContent(content, contents.length === 1 ? name : undefined))
  }
}

function decoded(base64: string): [() => Uint8Array, number] {
  return [() => Buffer.from(base64, 'base64'), Math.floor((base64.length * 3) / 4)]
}

function typeOf(mediaType: string | undefined): string {
  const type = mediaType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return MEDIA_TYPE.test(type) ? type : 'application/octet-stream'
}

function nameOf(uri: string): string {
  const last =
    uri
      .replace(/[?#].*$/s, '')
      .split('/')
      .findLast((part) => part !== '') ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** A file name that isn't a path, a hidden file or a device, with an extension if the type has one. */
function fileName(name: string, mediaType: string | undefined): string {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  const clean = cut(last.replace(/[\p{C}\p{Zl}\p{Zp}<>:"|?*]/gu, '').replace(/^[.\s]+|[.\s]+$/g, ''), 120) || 'file'
  const extension = EXTENSIONS[typeOf(mediaType)]
  return extension === undefined || /\.[A-Za-z0-9]{1,10}$/.test(clean) ? clean : `${clean}.${extension}`
}

/** Two pictures of one result must not have the same name. */
function unused(name: string, files: readonly ToolFile[]): string {
  const taken = (candidate: string) => files.some((file) => file.name === candidate)
  if (!taken(name)) return name
  const dot = name.lastIndexOf('.')
  const [stem, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  for (let number = 2; ; number++) if (!taken(`${stem}-${number}${end}`)) return `${stem}-${number}${end}`
}
