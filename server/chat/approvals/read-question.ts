import type { Question } from '../../../contract/questions.ts'
import { cut, visible } from '../../kernel/text/plain-text.ts'
import { readQuestionSchema } from './question-schema.ts'
import type { ToolQuestion } from '../ports/tools.ts'

const MESSAGE_LENGTH = 4000
const ADDRESS_LENGTH = 2000

/** A module's question in a form that can be shown to a person; null when it is malformed or hides something. */
export function readQuestion(asked: ToolQuestion): Question | null {
  const message = visible(cut(asked.message.toWellFormed().replaceAll('\r\n', '\n'), MESSAGE_LENGTH)).trim()
  if (asked.kind === 'url') {
    const url = readAddress(asked.url)
    return url === null ? null : { message, schema: null, url }
  }
  const schema = readQuestionSchema(asked.schema)
  return schema === null ? null : { message, schema, url: null }
}

/**
 * The address as the browser will open it: host in ASCII, anything unusual percent-encoded. One that contains a name
 * and password is refused as a trick.
 */
function readAddress(given: string): string | null {
  const url = URL.parse(given)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  if (url.username !== '' || url.password !== '') return null
  return url.href.length > ADDRESS_LENGTH || visible(url.href) !== url.href ? null : url.href
}
