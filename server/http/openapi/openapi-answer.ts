import type { Response } from '../../../contract/route.ts'
import type { SchemaWriter } from './openapi-schema.ts'

const REDIRECT_HEADERS = { Location: { schema: { type: 'string' } } }

/** A route's successful answers, by status, as OpenAPI response objects. */
export function answerOf(response: Response, id: string, schemas: SchemaWriter): Record<string, object> {
  switch (response.kind) {
    case 'json':
      return { 200: content('OK', 'application/json', schemas.write(response.schema, 'output', `${id}_answer`)) }
    case 'session':
      return {
        200: {
          ...content(
            'OK, and the session cookie changes',
            'application/json',
            schemas.write(response.schema, 'output', `${id}_answer`),
          ),
          headers: { 'Set-Cookie': { schema: { type: 'string' } } },
        },
      }
    case 'accepted':
      return {
        200: content('OK', 'application/json', schemas.write(response.schema, 'output', `${id}_answer`)),
        202: {
          ...content('Accepted', 'application/json', schemas.write(response.accepted, 'output', `${id}_accepted`)),
          headers: { 'Preference-Applied': { schema: { const: 'respond-async' } } },
        },
      }
    case 'page':
      return {
        200: content('A page of the application', 'text/html', { type: 'string' }),
        303: { description: 'Sign in or set up first', headers: REDIRECT_HEADERS },
      }
    case 'redirect':
      return { [response.status]: { description: 'Go on there', headers: REDIRECT_HEADERS } }
    case 'text':
      return { 200: content('OK', response.mediaType, { type: 'string' }) }
    case 'relayed':
      return { 200: { description: 'As the protocol of the route has it', content: { '*/*': {} } } }
    case 'file':
      return { 200: { description: `The bytes, ${response.disposition}`, content: { '*/*': {} } } }
    case 'events':
      return {
        200: content(
          'Server-sent events',
          'text/event-stream',
          schemas.write(response.schema, 'output', `${id}_event`),
        ),
      }
  }
}

function content(description: string, type: string, schema: object): object {
  return { description, content: { [type]: { schema } } }
}
