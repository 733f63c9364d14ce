import { z } from 'zod'

/**
 * Writes zod schemas as JSON Schema for an OpenAPI document. Schemas that are referred to (recursive shapes) move to
 * `components.schemas`, because a reference is resolved from the root of the document, not of the schema.
 */
export class SchemaWriter {
  readonly shared: Record<string, unknown> = {}

  /** @param name unique in the document; names the schema when others point at it */
  write(schema: z.ZodType, io: 'input' | 'output', name: string): object {
    const written = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' })
    const { $schema: _dialect, $defs, ...own } = written
    const root = `#/components/schemas/${name}`
    const moved = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(moved)
      if (value === null || typeof value !== 'object') return value
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, key === '$ref' ? target(item) : moved(item)]),
      )
    }
    let pointsAtRoot = false
    const target = (reference: unknown): unknown => {
      if (reference === '#') pointsAtRoot = true
      return typeof reference === 'string'
        ? reference.replace(/^#\/\$defs\//, `${root}_`).replace(/^#$/, root)
        : moved(reference)
    }
    for (const [key, definition] of Object.entries($defs ?? {})) this.shared[`${name}_${key}`] = moved(definition)
    const result = moved(own) as object
    if (!pointsAtRoot) return result
    this.shared[name] = result
    return { $ref: root }
  }
}
