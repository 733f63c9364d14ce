import { say, type Sentence } from '../../kernel/sentence.ts'

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/
/** What a header may hold: visible characters of Latin-1, with spaces and tabs inside. */
const VALUE = /^[\x21-\x7e\xa1-\xff](?:[\x20-\x7e\xa0-\xff\t]*[\x21-\x7e\xa1-\xff])?$/
const LIMIT = 30
/** Those that belong to the connection or to the protocol. */
const TAKEN = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'dpop',
  'expect',
  'host',
  'keep-alive',
  'last-event-id',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const TAKEN_PREFIX = /^(mcp-|proxy-|sec-)/

/**
 * The headers that an administrator wrote down, one in a line (`X-Key: value`), by their names in lower case; or what is
 * wrong with them. A sentence never repeats a value.
 */
export function readHeaders(text: string): ReadonlyMap<string, string> | Sentence {
  const headers = new Map<string, string>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const number = index + 1
    const colon = line.indexOf(':')
    if (colon === -1) return say`Line ${number} is no header: write “Name: value”.`
    const name = line.slice(0, colon).trim()
    const value = line.slice(colon + 1).trim()
    if (!NAME.test(name)) return say`The name of the header in line ${number} is not allowed.`
    const key = name.toLowerCase()
    if (TAKEN.has(key) || TAKEN_PREFIX.test(key)) return say`Reeve sets the header ${name} itself.`
    if (!VALUE.test(value))
      return say`The value of the header ${name} is empty, or has characters that no header can hold.`
    if (headers.has(key)) return say`The header ${name} is there twice.`
    headers.set(key, value)
  }
  return headers.size > LIMIT ? say`There are more than ${LIMIT} headers.` : headers
}
