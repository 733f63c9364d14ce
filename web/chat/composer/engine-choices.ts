import { queryOptions } from '@tanstack/react-query'
import type { Output } from '../../client/api-types.ts'
import { call } from '../../client/api.ts'

export type EngineOption = Output<'GET /api/chat/engines'>['items'][number]

/** Engines and models that the user may choose, the default first. */
export const choicesQuery = queryOptions({
  queryKey: ['choices'],
  queryFn: ({ signal }) => call('GET /api/chat/engines', { signal }),
})

export function choiceLabel({ name }: Pick<EngineOption, 'name'>, model: string): string {
  return name === model ? name : `${name} · ${model}`
}
