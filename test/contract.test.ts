import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ERRORS } from '../contract/errors.ts'
import { contract } from '../contract/index.ts'
import type { Route } from '../contract/route.ts'
import { openApi } from '../server/http/openapi/openapi.ts'
import { everyRoute, placeholders } from './stage/sources/every-route.ts'
import { readInterface } from './stage/sources/interface-document.ts'

interface Schema {
  properties?: Record<string, { default?: unknown }>
  anyOf?: Schema[]
}

function fieldsOf(schema: z.ZodType | undefined, io: 'input' | 'output'): { names: string[]; schema: Schema }[] {
  if (schema === undefined) return []
  const written = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema
  return (written.anyOf ?? [written]).map((each) => ({ names: Object.keys(each.properties ?? {}), schema: each }))
}

const signature = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`

describe('the contract', () => {
  test('has no route twice, and none that shadows another', () => {
    const shapes = everyRoute.map(({ route }) => `${route.method} ${route.path.replace(/\{\w+\}/g, '{}')}`)
    expect(shapes.filter((shape, at) => shapes.indexOf(shape) !== at)).toEqual([])
  })

  test('declares exactly the parameters of each path, and sends bodies only where something changes', () => {
    for (const { name, route } of everyRoute) {
      expect([name, Object.keys(route.params?.shape ?? {})]).toEqual([name, placeholders(route)])
      if (route.method === 'GET') expect([name, route.body]).toEqual([name, undefined])
      expect([name, route.summary]).toEqual([name, expect.stringMatching(/^\S.*[^.\s]$/)])
      expect([name, route.errors.filter((code) => !(code in ERRORS))]).toEqual([name, []])
    }
  })

  test('refuses fields that it does not know in every JSON body', () => {
    for (const { name, route } of everyRoute) {
      if (route.body?.kind !== 'json') continue
      const { issues = [] } = route.body.schema.safeParse({ surprise: 1 }).error ?? {}
      expect([name, issues.map(({ code }) => code)]).toEqual([name, expect.arrayContaining(['unrecognized_keys'])])
    }
  })
})

describe('the OpenAPI document', () => {
  const document = JSON.parse(JSON.stringify(openApi(contract, '1.0.0'))) as {
    openapi: string
    info: { title: string; version: string }
    tags: { name: string }[]
    paths: Record<string, Record<string, Operation>>
    components: Record<string, Record<string, unknown>>
  }
  interface Operation {
    operationId: string
    summary: string
    tags: string[]
    security: Record<string, []>[]
    parameters?: { name: string; in: string; required: boolean; schema: object }[]
    requestBody?: { content: object }
    responses: Record<string, { description: string; content?: object; $ref?: string }>
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )

  test('has every route and no other', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info).toMatchObject({ title: expect.any(String), version: '1.0.0' })
    expect(operations.map(signature).sort()).toEqual(everyRoute.map(({ route }) => signature(route)).sort())
  })

  test('names each operation once, with its parameters, a success and its refusals', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path, operation } of operations) {
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
      expect([path, inPath.map(({ name }) => name)]).toEqual([
        path,
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      ])
      expect(inPath.every(({ required }) => required)).toBe(true)
      const statuses = Object.keys(operation.responses)
      expect([path, statuses.filter((status) => /^[23]/.test(status)).length > 0]).toEqual([path, true])
      for (const status of statuses)
        expect([path, status, operation.responses[status]!.description]).toEqual([
          path,
          status,
          expect.stringMatching(/./),
        ])
      for (const tag of operation.tags) expect(document.tags).toContainEqual({ name: tag })
      for (const scheme of operation.security.flatMap((each) => Object.keys(each))) {
        expect(document.components.securitySchemes).toHaveProperty(scheme)
      }
    }
  })

  test('refers only to what is there', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference!)
    expect(references.length).toBeGreaterThan(0)
    for (const reference of new Set(references)) {
      expect(reference).toMatch(/^#\//)
      expect(document).toHaveProperty(reference.slice(2).split('/'))
    }
  })
})

const documented = readInterface()
describe.skipIf(documented === null)('the given interface (shared/interface.md)', () => {
  const built = new Map<string, Route>(everyRoute.map(({ route }) => [signature(route), route]))
  const shown = (documented ?? []).flatMap((row) => {
    const route = built.get(signature(row))
    return route === undefined ? [] : [{ ...row, route, name: signature(row) }]
  })

  test('is built', () => {
    const missing = (documented ?? []).map(signature).filter((name) => !built.has(name))
    expect(missing).toEqual([])
  })

  test('has its fields in bodies, with no other name', () => {
    for (const { name, body, route } of shown.filter((row) => row.body !== null)) {
      const fields = route.body?.kind === 'json' ? fieldsOf(route.body.schema, 'input') : []
      expect([name, fields[0]?.names]).toEqual([name, expect.arrayContaining([...body!])])
    }
  })

  test('has its fields in answers', () => {
    for (const { name, shapes, html, route } of shown) {
      expect([name, route.response.kind === 'page']).toEqual([name, html])
      if (!('schema' in route.response)) continue
      const alternatives = fieldsOf(route.response.schema, 'output').map((each) => each.names)
      for (const shape of shapes) {
        const found = alternatives.some((fields) => shape.every((field) => fields.includes(field)))
        expect([name, shape, found]).toEqual([name, shape, true])
      }
    }
  })

  test('has its query parameters with their defaults', () => {
    const words: Record<string, unknown> = { 'empty string': '', 'the string {}': '{}' }
    for (const { name, query, route } of shown) {
      for (const [parameter, text] of Object.entries(query)) {
        const given = fieldsOf(route.query, 'output')[0]?.schema.properties?.[parameter]?.default
        expect([name, parameter, given]).toEqual([name, parameter, text in words ? words[text] : Number(text)])
      }
    }
  })

  test('has its errors, permissions and administrators', () => {
    for (const { name, statuses, permissions, admin, route } of shown) {
      const declared = route.errors.map((code) => ERRORS[code].status as number)
      // The interface shows a redirect among the errors.
      if (route.response.kind === 'redirect') declared.push(route.response.status)
      for (const status of statuses) expect([name, declared]).toEqual([name, expect.arrayContaining([status])])
      expect([name, [...(route.permissions ?? [])].sort()]).toEqual([name, [...permissions].sort()])
      expect([name, route.access]).toEqual([name, admin ? 'admin' : 'session'])
    }
  })
})
