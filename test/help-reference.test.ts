import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openApi } from '../server/http/openapi/openapi.ts'
import { curlCommand } from '../web/help/api/curl-command.ts'
import type { OpenApiDocument } from '../web/help/api/openapi-document.ts'
import { findOperations, operationsOf } from '../web/help/api/operations.ts'
import { schemaExample } from '../web/help/api/schema-example.ts'

const document = openApi(contract, '1.0.0') as unknown as OpenApiDocument
const operations = operationsOf(document)

test('shows every route with its access, and every error with its title', () => {
  const routes = Object.values(contract).flatMap(
    (group) => Object.values(group) as { method: string; path: string; access: string }[],
  )
  expect(operations.map(({ method, path, access }) => `${method} ${path} ${access}`).sort()).toEqual(
    routes.map(({ method, path, access }) => `${method} ${path} ${access}`).sort(),
  )
  for (const { errors, answers } of operations) {
    expect(answers.length).toBeGreaterThan(0)
    expect(errors.every(({ code, title }) => code !== '' && title !== '')).toBe(true)
  }
  expect(operations.find(({ path }) => path === '/api/chat/reset')!.errors.map(({ code }) => code)).toContain(
    'run_active',
  )
})

test('finds routes by method, path, words of the summary and error codes', () => {
  expect(findOperations(operations, 'post /api/chat/reset').map(({ path }) => path)).toEqual(['/api/chat/reset'])
  expect(findOperations(operations, 'weak_password').length).toBeGreaterThan(1)
  expect(findOperations(operations, 'no such thing')).toEqual([])
  expect(findOperations(operations, ' ')).toBe(operations)
})

describe('examples', () => {
  const bodies = Object.entries(contract).flatMap(([group, routes]) =>
    Object.entries(
      routes as Record<
        string,
        { body?: { kind: string; schema: { safeParse(value: unknown): { success: boolean } } } }
      >,
    ).flatMap(([name, { body }]) => (body?.kind === 'json' ? [{ id: `${group}_${name}`, schema: body.schema }] : [])),
  )
  test.each(bodies)('of $id is JSON with every field of the body', ({ id }) => {
    const { body } = operations.find((operation) => operation.id === id)!
    const example = schemaExample(document, body!.schema)
    expect(JSON.parse(JSON.stringify(example))).toEqual(example)
    expect(Object.keys(example as object).sort()).toEqual(
      expect.arrayContaining([...(body!.schema.required ?? [])].sort()),
    )
  })
  test('end where a schema contains itself', () => {
    const loop = {
      ...document,
      components: {
        schemas: { Node: { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } } },
      },
    }
    expect(JSON.stringify(schemaExample(loop, { $ref: '#/components/schemas/Node' }))).toMatch(/^(\{"next":)+\{\}\}+$/)
  })
})

test('a command means what it says in a shell, whatever the text', () => {
  const json = `{"a":"it's $HOME \`x\` \\"q\\" !"}`
  const command = curlCommand(
    'http://127.0.0.1:1',
    { method: 'PATCH', path: '/api/x?q=a%20b', headers: { 'X-A': "b'c" }, body: { json } },
    'json',
  )
  const words = execFileSync('sh', ['-c', `curl() { for word; do printf '%s\\0' "$word"; done; }; TOKEN=t; ${command}`])
    .toString()
    .split('\0')
  expect(words.slice(0, -1)).toEqual([
    '--request',
    'PATCH',
    '--header',
    'Authorization: Bearer t',
    '--header',
    "X-A: b'c",
    '--header',
    'Content-Type: application/json',
    '--data',
    json,
    'http://127.0.0.1:1/api/x?q=a%20b',
  ])
})
