import type { Request } from './curl-command.ts'
import { type OpenApiDocument, resolveSchema } from './openapi-document.ts'
import type { Operation } from './operations.ts'
import { schemaExample } from './schema-example.ts'

/** The reader's input: parameter values by `in:name`, the JSON body, the file of a raw body. */
export interface TryValues {
  readonly parameters: Readonly<Record<string, string>>
  readonly json: string
  readonly file: File | null
}

export const keyOf = (parameter: { readonly in: string; readonly name: string }): string =>
  `${parameter.in}:${parameter.name}`

/** The form's initial values: an example body and no parameters. */
export function firstValues(document: OpenApiDocument, { body }: Operation): TryValues {
  const example = body?.kind === 'json' ? schemaExample(document, resolveSchema(document, body.schema)) : null
  return { parameters: {}, json: example === null ? '' : JSON.stringify(example, null, 2), file: null }
}

/** Names of the values that are required before the request can be sent. */
export function missingValues(operation: Operation, { parameters, file }: TryValues): readonly string[] {
  const names = operation.parameters
    .filter((parameter) => parameter.required && (parameters[keyOf(parameter)] ?? '') === '')
    .map(({ name }) => name)
  return operation.body?.kind === 'raw' && file === null ? [...names, 'body'] : names
}

/** Whether the JSON body can be parsed; an empty one counts as left out. */
export function isJson(text: string): boolean {
  if (text.trim() === '') return true
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The request for these values. A path parameter without a value stays `{name}`, for the reader to fill in. */
export function tryRequestOf(operation: Operation, { parameters, json, file }: TryValues): Request {
  const given = (place: string): Record<string, string> =>
    Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === place && (parameters[keyOf(parameter)] ?? '') !== '')
        .map((parameter) => [parameter.name, parameters[keyOf(parameter)]!]),
    )
  const inPath = given('path')
  const query = new URLSearchParams(given('query'))
  const path = operation.path.replace(/\{(\w+)\}/g, (whole, name: string) =>
    inPath[name] === undefined ? whole : encodeURIComponent(inPath[name]),
  )
  return {
    method: operation.method,
    path: query.size > 0 ? `${path}?${query}` : path,
    headers: given('header'),
    body:
      operation.body === null || (operation.body.kind === 'json' && json.trim() === '')
        ? null
        : operation.body.kind === 'json'
          ? { json: compact(json) }
          : { file: file?.name ?? 'file' },
  }
}

function compact(json: string): string {
  return isJson(json) ? JSON.stringify(JSON.parse(json)) : json
}
