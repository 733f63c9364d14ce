import { useQuery } from '@tanstack/react-query'
import type { Param } from '../../../contract/procedure-values.ts'
import { procedureQuery, proceduresQuery } from '../../procedures/procedures-query.ts'

type Schema = Readonly<Record<string, unknown>>

/** The schema of the values that `procedure:<id>` takes; null until it is known, and for what is no procedure that runs. */
export function useValuesSchema(subject: string): Schema | null {
  const [, id = ''] = /^procedure:(\w+)$/.exec(subject.trim()) ?? []
  const known = useQuery(proceduresQuery).data?.items.find(({ procedure_id }) => procedure_id === id)
  const detail = useQuery({ ...procedureQuery(id), enabled: known !== undefined }).data
  const version = detail?.versions.find((one) => one.version === detail.procedure.current_version)
  if (version === undefined) return null
  const properties = Object.fromEntries(version.params.map((param) => [param.name, schemaOf(param)]))
  return { type: 'object', properties }
}

function schemaOf({ title, test }: Param): Schema {
  if ('each' in test) return { title, type: 'array', items: { type: typeOf(test.each) } }
  const choices = 'in' in test && test.in.every((one) => typeof one === 'string') ? { enum: test.in } : {}
  return { title, type: typeOf(test), ...choices }
}

function typeOf(test: Param['test']): string {
  if ('in' in test || 'is' in test) return typeof ('in' in test ? test.in[0] : test.is)
  return 'min' in test || 'max' in test ? 'number' : 'string'
}
