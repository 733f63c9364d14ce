import { z } from 'zod'
import { FileEntry } from './files.ts'
import { json, route } from './route.ts'
import { limit } from './values.ts'

const Module = z.string().max(64)
const Values = z.record(z.string().max(200), z.string().max(2000))

/** `ask`: the person confirms each reading; what is denied, or what others decide about, is not listed. */
export const ResourceModule = z.strictObject({ module: Module, title: z.string(), policy: z.enum(['allow', 'ask']) })
export type ResourceModule = z.infer<typeof ResourceModule>

export const ResourceEntry = z.strictObject({
  module: z.string(),
  /** Null for a family of resources, which has a `template` with `arguments` instead. */
  uri: z.string().nullable(),
  template: z.string().nullable(),
  arguments: z.array(z.string()),
  name: z.string(),
  title: z.string(),
  description: z.string(),
  media_type: z.string().nullable(),
  /** Bytes, as the module says. */
  size: z.number().nullable(),
})
export type ResourceEntry = z.infer<typeof ResourceEntry>

/** What modules offer to be read, and what is read of it: a person's files, to be attached to a message. */
export const resources = {
  listResourceModules: route({
    method: 'GET',
    path: '/api/chat/resource-modules',
    summary: 'The running modules that have resources which I may read',
    access: 'session',
    tokenNeeds: 'conversations.read',
    response: json(z.strictObject({ items: z.array(ResourceModule) })),
    errors: [],
  }),
  listResources: route({
    method: 'GET',
    path: '/api/chat/resources',
    summary: 'Resources of the running modules with the words of q in what is said of them; asks the modules',
    access: 'session',
    tokenNeeds: 'conversations.read',
    query: z.object({ q: z.string().max(200).default(''), limit: limit(50) }),
    response: json(
      z.strictObject({
        items: z.array(ResourceEntry),
        /** There are more, of these words or in a module that lists too many. */
        more: z.boolean(),
        /** Modules that did not answer, by their titles. */
        silent: z.array(z.string()),
      }),
    ),
    errors: [],
    rateLimit: 600,
  }),
  readResource: route({
    method: 'POST',
    path: '/api/chat/resources/read',
    summary:
      'Read a resource and store it as files of mine. Where a rule asks, `confirmed` says that the person has seen what is read',
    access: 'session',
    permissions: ['files.create'],
    body: json(
      z.strictObject({
        module: Module,
        resource: z.union([
          z.strictObject({ uri: z.string().min(1).max(2000) }),
          z.strictObject({ template: z.string().min(1).max(2000), values: Values }),
        ]),
        confirmed: z.boolean().default(false),
      }),
    ),
    response: json(z.strictObject({ files: z.array(FileEntry), left_out: z.int() })),
    errors: [
      'not_found',
      'forbidden',
      'approval_required',
      'too_many_readings',
      'module_unavailable',
      'quota_exceeded',
      'payload_too_large',
    ],
    rateLimit: 300,
  }),
  suggestValues: route({
    method: 'POST',
    path: '/api/chat/suggestions',
    summary: 'What a module suggests for an argument of one of its prompts or families of resources',
    access: 'session',
    tokenNeeds: 'conversations.read',
    body: json(
      z.strictObject({
        module: Module,
        of: z.union([
          z.strictObject({ prompt: z.string().min(1).max(200) }),
          z.strictObject({ template: z.string().min(1).max(2000) }),
        ]),
        argument: z.string().min(1).max(200),
        value: z.string().max(1000),
        given: Values.default({}),
      }),
    ),
    response: json(z.strictObject({ values: z.array(z.string()) })),
    errors: ['not_found'],
    rateLimit: 1200,
  }),
}
