import { z } from 'zod'

const text = z.string().optional().catch(undefined)
const flag = z.boolean().catch(false)
const url = text

function many<T extends z.ZodType>(one: T) {
  return z
    .array(z.unknown())
    .catch([])
    .transform((all) =>
      all.slice(0, LIMIT).flatMap((each) => {
        const read = one.safeParse(each)
        return read.success ? [read.data] : []
      }),
    )
}
const LIMIT = 50

const Input = z.looseObject({
  name: text,
  type: text,
  value: text,
  default: text,
  description: text,
  valueHint: text,
  isRequired: flag,
  isSecret: flag,
  isRepeated: flag,
  choices: many(z.string()),
  /** What stands for `{name}` in the value. */
  variables: z
    .record(z.string(), z.looseObject({ value: text, default: text, isSecret: flag }).catch({ isSecret: false }))
    .catch({}),
})
export type RegistryInput = z.output<typeof Input>

const Package = z.looseObject({
  registryType: z.string(),
  identifier: z.string().min(1),
  version: text,
  fileSha256: text,
  transport: z.looseObject({ type: text }).catch({}),
  environmentVariables: many(Input),
  packageArguments: many(Input),
})
export type RegistryPackage = z.output<typeof Package>

const Remote = z.looseObject({
  type: z.string(),
  url: z.string().min(1),
  headers: many(Input),
  variables: Input.shape.variables,
})
export type RegistryRemote = z.output<typeof Remote>

const Server = z.looseObject({
  name: z.string().min(1),
  title: text,
  description: text,
  version: text,
  websiteUrl: url,
  repository: z.looseObject({ url }).catch({}),
  packages: many(Package),
  remotes: many(Remote),
})
export type ListedServer = z.output<typeof Server> & { readonly deprecated: boolean }

const Official = z.looseObject({ status: text, isLatest: z.boolean().optional().catch(undefined) }).catch({})
const META = 'io.modelcontextprotocol.registry/official'
const Entry = z.looseObject({ server: Server, _meta: z.looseObject({ [META]: Official.optional() }).catch({}) })
const Answer = z.looseObject({
  servers: z.array(z.unknown()),
  metadata: z.looseObject({ nextCursor: text }).catch({}),
})

export interface ServerPage {
  readonly servers: readonly ListedServer[]
  readonly next: string | null
}

/**
 * A page of servers as a registry lists them, in the form that the official one had by the end of 2025 (`server.json`).
 * What is of another form counts as missing, and a server that cannot be read is left out; null for what is no such page.
 */
export function readServers(value: unknown, limit: number): ServerPage | null {
  const answer = Answer.safeParse(value)
  if (!answer.success) return null
  const servers = new Map<string, ListedServer>()
  for (const one of answer.data.servers.slice(0, limit)) {
    const entry = Entry.safeParse(one)
    if (!entry.success) continue
    const { server, _meta } = entry.data
    const { status, isLatest } = Official.parse(_meta[META] ?? {})
    if (status === 'deleted' || isLatest === false || servers.has(server.name)) continue
    servers.set(server.name, { ...server, deprecated: status === 'deprecated' })
  }
  const { nextCursor = '' } = answer.data.metadata
  return { servers: [...servers.values()], next: nextCursor === '' || nextCursor.length > 500 ? null : nextCursor }
}
