import { useQuery } from '@tanstack/react-query'
import { moduleQuery, modulesQuery } from '../list/module-queries.ts'

/** Module and name of `<module>.<tool>`; both empty when it is not written so. */
export function toolParts(tool: string): { readonly module: string; readonly name: string } {
  const [, module = '', name = ''] = /^([a-z0-9-]+)\.(.+)$/.exec(tool.trim()) ?? []
  return { module, name }
}

/** The schema of a tool's arguments; null until it is known, and for what is no tool. */
export function useToolSchema(tool: string): Readonly<Record<string, unknown>> | null {
  const { module, name } = toolParts(tool)
  const known = useQuery(modulesQuery).data?.some((one) => one.name === module) === true
  const detail = useQuery({ ...moduleQuery(module), enabled: known }).data
  return detail?.tools.find((one) => one.name === name)?.input_schema ?? null
}
