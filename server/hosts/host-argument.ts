import { HOST_ARGUMENT, HOST_LIMITS } from '../../contract/host-values.ts'
import { aboutHosts, type HostList } from '../chat/ports/hosts.ts'
import { type Tool, type Tools, worksOnMachines } from '../chat/ports/tools.ts'

/**
 * The same tools; those that work on a machine take an argument that says which, and where there are several, they say
 * so in their schema, too: with one, nobody needs to know, and what was saved with it works all the same. It names none of them,
 * so what an engine reads stays as it is while machines come and go, and it is no part of what an administrator agreed to:
 * the hash of the definition is the module's own.
 */
export function withHosts(tools: Tools, hosts: Pick<HostList, 'known'>): Tools {
  const several = () => hosts.known().length > 1
  const wrapped = new WeakMap<Tool, Tool>()
  const wrap = (tool: Tool): Tool => {
    if (!worksOnMachines(tool)) return tool
    const known = wrapped.get(tool) ?? withArgument(tool)
    wrapped.set(tool, known)
    return known
  }
  let listed: { readonly of: readonly Tool[]; readonly tools: readonly Tool[] } | null = null
  return {
    wording: (module, language) => tools.wording(module, language),
    moduleTitle: (module, language) => tools.moduleTitle(module, language),
    instructions: (module) => tools.instructions(module),
    call: (request, signal, progress) => tools.call(request, signal, progress),
    ready: () => tools.ready(),
    list() {
      const of = tools.list()
      if (!several()) return of
      if (listed?.of !== of) listed = { of, tools: of.map(wrap) }
      return listed.tools
    },
    find(module, name) {
      const tool = tools.find(module, name)
      return tool === undefined ? tool : wrap(tool)
    },
    revision: () => (several() ? `${tools.revision()}h` : tools.revision()),
  }
}

function withArgument(bare: Tool): Tool {
  const { properties, ...schema } = bare.input_schema
  const own = ({ [HOST_ARGUMENT]: _host, ...rest }: Record<string, unknown>) => rest
  return {
    ...bare,
    bare,
    input_schema: {
      ...schema,
      properties: { ...(properties as object | undefined), [HOST_ARGUMENT]: argumentOf(bare) },
    },
    fill: (input) => {
      const filled = bare.fill(own(input))
      const host = input[HOST_ARGUMENT]
      return host === undefined ? filled : { ...filled, [HOST_ARGUMENT]: JSON.parse(JSON.stringify(host)) as unknown }
    },
    summarize: (input, wording) => bare.summarize(own(input), wording),
    check: (input) => hostProblem(input[HOST_ARGUMENT]) ?? bare.check(own(input)),
  }
}

function argumentOf({ effect }: Tool) {
  return {
    description: aboutHosts(effect).toString(),
    anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: HOST_LIMITS.hosts }],
  }
}

function hostProblem(host: unknown): string | null {
  if (host === undefined || typeof host === 'string') return null
  const list = Array.isArray(host) && host.length > 0 && host.length <= HOST_LIMITS.hosts
  if (list && host.every((one) => typeof one === 'string')) return null
  return `"${HOST_ARGUMENT}" must be the name of a machine, a #tag, or a list of at most ${HOST_LIMITS.hosts} of them.`
}
