import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { toolsQuery } from '../client/queries.ts'
import { argumentFields, type ArgumentField } from './argument-fields.ts'

/** The fields for the arguments of `<module>.<tool>`. Undefined: not loaded yet; null: the reader has no such tool now. */
export function useToolFields(tool: string): readonly ArgumentField[] | null | undefined {
  const { data, isPending } = useQuery(toolsQuery)
  const entry = data?.items.find((one) => `${one.module}.${one.tool}` === tool)
  return useMemo(
    () => (entry === undefined ? (isPending ? undefined : null) : argumentFields(entry.input_schema)),
    [entry, isPending],
  )
}
