export interface AuditChange {
  readonly name: string
  readonly before: string
  readonly after: string
}

/** Details of an entry for reading: single facts, and of `before` and `after` only what differs. */
export function auditFacts(details: Readonly<Record<string, unknown>>): {
  readonly facts: readonly (readonly [string, string])[]
  readonly changes: readonly AuditChange[]
} {
  const { before, after, ...rest } = details
  const facts = Object.entries(rest).map(([name, value]) => [name, written(value)] as const)
  if (!isRecord(before) || !isRecord(after)) {
    const alone = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }
    return {
      facts: [...facts, ...Object.entries(alone).map(([name, value]) => [name, written(value)] as const)],
      changes: [],
    }
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changes = names
    .map((name) => ({ name, before: lost(before[name], after[name]), after: lost(after[name], before[name]) }))
    .filter((change) => change.before !== change.after)
  return { facts, changes }
}

/** The items of a list that the other list lacks; any other value as a whole. */
function lost(value: unknown, other: unknown): string {
  if (!Array.isArray(value) || !Array.isArray(other)) return written(value)
  const there = new Set(other.map(line))
  return written(value.map(line).filter((one) => !there.has(one)))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Text as is; a list with one item per line; everything else as JSON, `–` for nothing. */
function written(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–'
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(line).join('\n')
  return JSON.stringify(value)
}

/** A rule of a role reads `tool:system.*: deny`. */
function line(item: unknown): string {
  if (isRecord(item) && typeof item['subject'] === 'string') return `${item['subject']}: ${String(item['effect'])}`
  return typeof item === 'string' ? item : JSON.stringify(item)
}
