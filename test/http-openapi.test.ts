import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { contract } from '../contract/index.ts'
import { json, route } from '../contract/route.ts'
import { openApi } from '../server/http/openapi/openapi.ts'
import { routes } from './stage/sources/http-routes.ts'

describe('the OpenAPI document', () => {
  it('describes every route, its errors and who may', () => {
    const document = openApi({ things: routes }, '1.2.3') as never as {
      paths: Record<
        string,
        Record<
          string,
          {
            responses: Record<string, { description: string }>
            security: object[]
            parameters?: { name: string; in: string; required: boolean }[]
          }
        >
      >
    }
    expect(openApi({ things: routes }, '1.2.3')).not.toBe(document)
    const group = { things: routes }
    expect(openApi(group, '1')).toBe(openApi(group, '1'))
    const remove = document.paths['/api/items/{id}']!.delete!
    expect(Object.keys(remove.responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '415',
      '422',
      '500',
      '503',
    ])
    expect(remove.responses['403']!.description).toMatch(/csrf_mismatch.*forbidden|forbidden.*csrf_mismatch/)
    expect(remove.security).toEqual([{ session: [], csrf: [] }, { token: [] }])
    expect(document.paths['/api/items']!.get!.parameters).toContainEqual({
      name: 'limit',
      in: 'query',
      required: false,
      schema: expect.anything(),
    })
    expect(document.paths['/api/login']!.post!.security).toEqual([])
  })

  it('holds together for the whole contract: every reference has its target', () => {
    const Tree = z.strictObject({
      name: z.string(),
      get children() {
        return z.array(Tree)
      },
    })
    const tree = route({
      method: 'GET',
      path: '/api/tree',
      summary: 'Tree',
      access: 'public',
      response: json(z.strictObject({ tree: Tree })),
      errors: [],
    })
    const rooted = route({
      method: 'GET',
      path: '/api/rooted',
      summary: 'Rooted',
      access: 'public',
      response: json(Tree),
      errors: [],
    })
    const document = openApi({ ...contract, extra: { tree, rooted } }, '0') as never as {
      components: { schemas: Record<string, unknown> }
    }
    const text = JSON.stringify(document)
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference!)
    expect(references.some((reference) => reference.includes('extra_tree'))).toBe(true)
    expect(references.some((reference) => reference.includes('extra_rooted'))).toBe(true)
    for (const reference of new Set(references)) {
      expect(document.components.schemas).toHaveProperty([reference.replace('#/components/schemas/', '')])
    }
    expect(text).not.toContain('"$schema"')
  })
})
