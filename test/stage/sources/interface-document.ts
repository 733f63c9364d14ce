import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The given interface, beside the repository where it is checked. */
const PATH = join(import.meta.dirname, '../../../../shared/interface.md')

/** One row of the tables of endpoints. */
export interface DocumentedRoute {
  readonly method: string
  readonly path: string
  /** Names of the body's fields; null where it shows none. */
  readonly body: readonly string[] | null
  /** Query parameters with their defaults as the document writes them. */
  readonly query: Readonly<Record<string, string>>
  /** The fields of each shape of the answer; empty where it shows none. */
  readonly shapes: readonly (readonly string[])[]
  readonly html: boolean
  readonly statuses: readonly number[]
  readonly permissions: readonly string[]
  readonly admin: boolean
}

/** The routes that the interface shows; null where the document is not there. */
export function readInterface(): DocumentedRoute[] | null {
  if (!existsSync(PATH)) return null
  const routes: DocumentedRoute[] = []
  let heading = ''
  let columns: string[] | null = null
  for (const line of readFileSync(PATH, 'utf8').split('\n')) {
    if (line.startsWith('#')) heading = line
    if (!line.startsWith('|')) columns = null
    else if (line.startsWith('| Method | Path |')) columns = cells(line)
    else if (columns !== null && !line.startsWith('|---'))
      routes.push(rowOf(columns, cells(line), /\(all Admin\)/.test(heading)))
  }
  return routes
}

function cells(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}

function rowOf(columns: readonly string[], row: readonly string[], admin: boolean): DocumentedRoute {
  const cell = (name: string): string => row[columns.findIndex((column) => column.startsWith(name))] ?? ''
  const request = cell('Request')
  const answer = cell('Response')
  const payload = /Payload \{([^}]*)\}|Request \{([^}]*)\}|with keys ([\w, ]+)$/.exec(request)
  return {
    method: cell('Method'),
    path: cell('Path'),
    body: payload === null ? null : names(payload[1] ?? payload[2] ?? payload[3] ?? ''),
    query: Object.fromEntries(
      [...request.matchAll(/(\w+) \(default ([^)]*)\)/g)].map(([, name, value]) => [name!, value!]),
    ),
    shapes: [...answer.matchAll(/\{([^}]*)\}/g)].map(([, fields]) => names(fields!)),
    html: answer.startsWith('HTML'),
    statuses: [...cell('Route errors').matchAll(/\d{3}/g)].map(Number),
    permissions: [...`${cell('Auth')} ${cell('Permission')}`.matchAll(/files\.\w+|codex\.use/g)].map(([name]) => name),
    admin,
  }
}

function names(list: string): string[] {
  return list
    .split(/,| and /)
    .map((name) => name.trim())
    .filter(Boolean)
}
