import type { Client } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { addressTemplate } from '../../../contract/address-template.ts'
import { say } from '../../kernel/sentence.ts'
import { cut, visible } from '../../kernel/text/plain-text.ts'
import type {
  ChosenResource,
  OfferedResource,
  OfferedResources,
  OfferedTemplate,
  ReadResource,
} from '../../chat/ports/offers.ts'
import { maskSecrets } from '../result/mask-secrets.ts'
import { contentFiles } from '../result/result-files.ts'
import { ModuleProblem } from '../spec/module-problem.ts'
import { readPages } from './read-pages.ts'

const RESOURCE_LIMIT = 500
const TEMPLATE_LIMIT = 100
const ARGUMENT_LIMIT = 20
const ASK_MS = 15_000
/** How long a list counts, unless the module says that it has changed. */
const FRESH_MS = 10_000

// An address is sent back as it is, so one that hides something is not shown instead of being shown differently.
const Address = z
  .string()
  .min(1)
  .max(2000)
  .refine((uri) => visible(uri) === uri)
const About = {
  name: z.string(),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  mimeType: z.string().optional().catch(undefined),
}
const Resource = z.looseObject({
  ...About,
  uri: Address,
  size: z.number().nonnegative().optional().catch(undefined),
})
const Template = z.looseObject({ ...About, uriTemplate: Address })

/** The resources of a connected module: read when somebody asks, because most are never asked for. */
export function openResources(client: Client) {
  let known: { readonly at: number; readonly list: Promise<OfferedResources> } | null = null
  client.setNotificationHandler('notifications/resources/list_changed', () => {
    known = null
  })

  async function list(): Promise<OfferedResources> {
    if (client.getServerCapabilities()?.resources === undefined) return { resources: [], templates: [], more: false }
    if (known === null || performance.now() > known.at + FRESH_MS) {
      const made = { at: performance.now(), list: readLists(client) }
      known = made
      made.list.catch(() => {
        if (known === made) known = null
      })
    }
    return known.list
  }

  /** Only what is listed, or fits what is: a module is asked for nothing that it did not offer. */
  async function find(chosen: ChosenResource): Promise<{ uri: string; name: string }> {
    const { resources, templates } = await list()
    const found =
      'uri' in chosen
        ? resources.find(({ uri }) => uri === chosen.uri)
        : templates.find(({ template }) => template === chosen.template)
    if (found === undefined) throw new ModuleProblem(say`The module does not offer this resource.`)
    if ('uri' in found) return found
    const { values } = chosen as Exclude<ChosenResource, { uri: string }>
    const missing = found.arguments.find((name) => (values[name] ?? '') === '')
    if (missing !== undefined) throw new ModuleProblem(say`“${missing}” is required.`)
    const uri = addressTemplate(found.template)!.expand(values)
    return { uri, name: nameOf(uri, found.name) }
  }

  return {
    list,
    /** Its text with the module's secrets masked; its bytes as they are. */
    async read(chosen: ChosenResource, secrets: readonly string[], signal: AbortSignal): Promise<ReadResource> {
      const { uri, name } = await find(chosen)
      const { contents } = await client.readResource({ uri }, { timeout: ASK_MS, signal, cacheMode: 'bypass' })
      const shown = contents.map((content) =>
        'text' in content ? { ...content, text: maskSecrets(content.text, secrets) } : content,
      )
      const files = contentFiles(shown, name)
      return {
        uri,
        files: files.map((file) => ({ ...file, data: Buffer.from(file.data).toString('base64') })),
        left_out: contents.length - files.length,
      }
    },
  }
}

async function readLists(client: Client): Promise<OfferedResources> {
  const until = AbortSignal.timeout(ASK_MS)
  const [resources, templates] = await Promise.all([
    readPages(client, 'resources/list', 'resources', RESOURCE_LIMIT, until),
    // Not every server that has resources has heard of families of them.
    readPages(client, 'resources/templates/list', 'resourceTemplates', TEMPLATE_LIMIT, until).catch(() => null),
  ])
  const families = (templates?.items ?? []).flatMap((item): OfferedTemplate[] => {
    const { data } = Template.safeParse(item)
    if (data === undefined) return []
    const names = variablesOf(data.uriTemplate)
    return names === null ? [] : [{ ...aboutOf(data), template: data.uriTemplate, arguments: names }]
  })
  const single = resources.items.flatMap((item): OfferedResource[] => {
    const { data } = Resource.safeParse(item)
    return data === undefined ? [] : [{ ...aboutOf(data), uri: data.uri, size: data.size ?? null }]
  })
  return {
    resources: [...new Map(single.map((each) => [each.uri, each])).values()],
    templates: [...new Map(families.map((each) => [each.template, each])).values()],
    more: resources.end !== 'all' || (templates !== null && templates.end !== 'all'),
  }
}

/** Null for a template that cannot be filled in. */
function variablesOf(text: string): readonly string[] | null {
  const names = addressTemplate(text)?.names ?? []
  return names.length === 0 || names.length > ARGUMENT_LIMIT ? null : names
}

function aboutOf({ name, title, description, mimeType }: z.infer<z.ZodObject<typeof About>>) {
  return {
    name: cut(visible(name), 120),
    title: cut(visible(title ?? name), 120),
    description: cut(visible(description ?? ''), 500),
    media_type: mimeType === undefined ? null : cut(visible(mimeType), 120),
  }
}

/** Members of a family share their name: the end of the address tells them apart. */
function nameOf(uri: string, name: string): string {
  const last = /([^/?#]+)\/?(?:[?#].*)?$/.exec(uri)?.[1]
  return last === undefined ? name : `${name} ${last}`
}
