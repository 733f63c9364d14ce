import type { Operation, PlannedAction } from '../../modules/machine-operation.ts'

/** What can be asked of reeve-op: operations, and questions without effects. */
export type HelperRequest =
  | Operation
  | { readonly op: 'hello' }
  /** How the operation with the request's id stands. If it has not arrived by now, it never runs. */
  | { readonly op: 'status' }
  /** What the package manager would do, as root sees it. */
  | { readonly op: 'plan'; readonly action: PlannedAction; readonly names: readonly string[] }

const ID = /^[0-9a-f]{32}$/
/** What packaging/reeve-op takes in a field, whatever it is. */
const VALUE = /^[A-Za-z0-9@%+=:,./_~][A-Za-z0-9@%+=:,./_~-]*$/
const MOST_BYTES = 1 << 20

/** The request cannot be written so that reeve-op takes it; the message says which part. */
export class RequestProblem extends Error {
  override readonly name = 'RequestProblem'
}

/** The bytes of a request: packaging/reeve-op describes them. @throws {RequestProblem} */
export function encodeRequest(id: string, request: HelperRequest): Buffer {
  if (!ID.test(id)) throw new RequestProblem('The id of an operation has 32 hexadecimal digits.')
  const body = Buffer.from(bodyOf(request))
  if (body.length > MOST_BYTES) throw new RequestProblem('The content has more than 1 MiB.')
  const fields = fieldsOf(request)
  if (body.length > 0) fields.push(['length', String(body.length)])
  for (const [key, value] of fields)
    if (!VALUE.test(value)) throw new RequestProblem(`${key} is empty, or has characters that it cannot have.`)
  const lines = ['reeve-op 1', `id ${id}`, request.op, ...fields.map(([key, value]) => `${key} ${value}`)]
  return Buffer.concat([Buffer.from(`${lines.join('\n')}\n\n`), body])
}

type Field = [key: string, value: string]

function fieldsOf(request: HelperRequest): Field[] {
  const fields: Field[] = 'action' in request ? [['action', request.action]] : []
  switch (request.op) {
    case 'service':
      fields.push(['unit', request.unit])
      break
    case 'package':
    case 'plan':
      if ('names' in request) fields.push(...request.names.map((name): Field => ['name', name]))
      if ('plan' in request) fields.push(['plan', request.plan])
      break
    case 'file':
      fields.push(['path', request.path])
      if ('if_hash' in request) fields.push(['if_hash', request.if_hash ?? 'none'])
      if ('mode' in request && request.mode !== undefined) fields.push(['mode', request.mode])
      if ('owner' in request && request.owner !== undefined) fields.push(['owner', request.owner])
      if ('backup' in request) fields.push(['backup', request.backup])
      break
    case 'user':
      fields.push(['name', request.name])
      if ('groups' in request) fields.push(...request.groups.map((name): Field => ['group', name]))
      if ('remove_home' in request) fields.push(['home', request.remove_home ? 'remove' : 'keep'])
      break
    case 'journal':
      fields.push(...Object.entries(request.keep).map(([key, value]): Field => [key, String(value)]))
      break
    case 'power':
      if ('minutes' in request) fields.push(['minutes', String(request.minutes)])
      break
    case 'command':
      fields.push(['deadline', String(request.deadline_s)])
      break
    case 'hello':
    case 'status':
  }
  return fields
}

function bodyOf(request: HelperRequest): string | Uint8Array {
  if ('content' in request) return request.content
  if ('script' in request) return request.script
  return 'key' in request ? `${request.key}\n` : ''
}
