import { Parser } from 'htmlparser2'
import { say } from '../../../kernel/sentence.ts'
import { DocumentError } from '../document-error.ts'

const PIECE = 64 * 1024
/** No word processor nests deeper; whatever does is meant to exhaust a stack. */
const DEPTH_LIMIT = 2000

export interface XmlEvents {
  /** Names come without their namespace prefix: which prefix a program chooses means nothing. */
  open?(name: string, attributes: XmlAttributes): void
  text?(text: string): void
  close?(name: string): void
  /** Whether the rest need not be read. */
  done?(): boolean
}
/** The value of an attribute. Where several share a local name, a prefixed one takes precedence. */
export type XmlAttributes = (name: string) => string | undefined

/**
 * Reads XML as events, without a tree and without ever expanding a custom entity: a document type is refused, because
 * no office format has one and entity bombs are made of it. @throws {DocumentError}
 */
export function scanXml(bytes: Uint8Array, events: XmlEvents): void {
  const xml = decodeXml(bytes)
  let depth = 0
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > DEPTH_LIMIT) throw new DocumentError('failed', say`Its content is nested too deeply to be read.`)
        events.open?.(localName(name), (wanted) => {
          for (const key in attributes) if (key.endsWith(`:${wanted}`)) return attributes[key]
          return attributes[wanted]
        })
      },
      ontext: (text) => events.text?.(text),
      onclosetag(name) {
        depth--
        events.close?.(localName(name))
      },
      onprocessinginstruction(name) {
        if (name.startsWith('!'))
          throw new DocumentError(
            'failed',
            say`It declares a document type of its own, which office documents never do.`,
          )
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  for (let at = 0; at < xml.length; at += PIECE) {
    parser.write(xml.slice(at, at + PIECE))
    if (events.done?.() === true) return
  }
  parser.end()
}

function decodeXml(bytes: Uint8Array): string {
  const [a, b] = bytes
  const encoding = a === 0xff && b === 0xfe ? 'utf-16le' : a === 0xfe && b === 0xff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
